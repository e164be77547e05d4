import { createKeyCheck } from '@parley/chat/access/authenticate-api-key'
import type { Chat } from '@parley/chat/chat'
import type { Feeds } from '@parley/chat/events-feed/feeds'
import { openEvents, readEvents } from '@parley/chat/events-feed/read-events'
import * as operations from '@parley/contracts/operations/integrations/events'
import type { Mount } from '../mount.ts'
import { EventStream, wantsEventStream } from '../replies/event-stream.ts'

export function mountEvents(mount: Mount, chat: Chat, feeds: Feeds): void {
  const parts = { feeds, requireLivingKey: createKeyCheck(chat) }

  mount(operations.listEvents, async ({ caller, query, headers, closed }) => {
    if (!wantsEventStream(headers['accept'])) return readEvents(parts, caller, query, closed())
    const after = headers['last-event-id'] ?? query.after
    return new EventStream(await openEvents(parts, caller, { ...query, after }, closed()))
  })
}
