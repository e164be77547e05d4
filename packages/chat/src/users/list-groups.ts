import type { Input } from '@parley/contracts/operation'
import type { Group, listGroups as listOperation } from '@parley/contracts/operations/users/groups'
import { findGroupPage } from '@parley/db/users/groups'
import type { Chat } from '../chat.ts'
import { JsonText } from '../views/json-text.ts'

/** GET /admin/groups: the user groups of an app, by ID. */
export async function listGroups(
  chat: Chat,
  app: string,
  { skip, limit }: Input<typeof listOperation>['query'],
): Promise<JsonText> {
  const { totalCount, groups } = await findGroupPage(chat.db, app, skip, limit)
  async function* parts(): AsyncGenerator<string[]> {
    for await (const { id: _id, nickname, avatarUrl, groupMembers = [] } of groups) {
      const group: Group = { _id, nickname, avatarUrl, members: groupMembers }
      yield [JSON.stringify(group)]
    }
  }
  return JsonText.page(totalCount, parts())
}
