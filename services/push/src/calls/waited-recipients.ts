import { inParts } from '@parley/async/in-parts'
import type { PushCall } from '@parley/contracts/resources/webhook'
import type { Db } from '@parley/db/connect'
import type { OutgoingCallDoc } from '@parley/db/push/outgoing-calls'
import { expandGroups } from '@parley/db/users/groups'
import { findReasonsAgainst } from '../recipients/reasons-against.ts'

/** Members per query. */
const atOnce = 1_000

/**
 * The data of a call of PUSH_GENERIC that has waited, as JSON text, without those users who would get no push by now.
 * @returns undefined when nobody is left
 */
export async function withoutWhoGetsNone(
  db: Db,
  { app, room }: Pick<OutgoingCallDoc, 'app' | 'room'>,
  data: string,
): Promise<string | undefined> {
  const { pushToClients = [], ...rest } = JSON.parse(data) as Partial<PushCall>
  const mentions = await expandGroups(db, app, rest.mentions ?? [])
  const left: string[] = []
  for (const users of inParts(pushToClients, atOnce)) {
    const against = await findReasonsAgainst(
      db,
      app,
      users.map((user) => ({ id: user, user, room, sender: rest.sender?._id ?? '', mentioned: mentions.has(user) })),
    )
    left.push(...users.filter((user) => !against.has(user)))
  }
  if (left.length === 0) return undefined
  return left.length === pushToClients.length ? data : JSON.stringify({ ...rest, pushToClients: left })
}
