import type { PushDoc } from '@parley/db/push/documents'
import { fittedMessage, fittedPayload } from './fitting-content.ts'
import type { PushContent } from './network.ts'
import { shownText } from './shown-text.ts'

/** A push as JSON for the app's own code (docs/reference/push.md#web-push), shortened to these bytes. */
export function devicePayload(push: PushDoc, content: PushContent, maxBytes: number): object {
  const { badge } = push
  if (content.of === 'read') {
    const { rooms, threads, messages } = content
    return { type: 'read', rooms, threads, messages, badge }
  }
  if (content.of === 'clients') {
    return fittedPayload(content, maxBytes, (payload) => ({ id: content.id, badge, ...payload }))
  }
  return fittedMessage(content, maxBytes, (less) => {
    const { room, messageID, messageType, threadOf, reminder } = less
    return { room, messageID, messageType, threadOf, reminder, ...shownText(push, less), badge }
  })
}
