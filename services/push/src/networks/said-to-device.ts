import type { PushDoc } from '@parley/db/push/documents'
import { fitted } from './fitting-arguments.ts'
import type { PushContent } from './network.ts'
import { shownText } from './shown-text.ts'

/** A push as JSON for the app's own code (docs/reference/push.md#web-push): a message is shortened to these bytes. */
export function saidTo(push: PushDoc, content: PushContent, mostBytes: number): object {
  const { badge } = push
  const withBadge = badge === undefined ? {} : { badge }
  if (content.of === 'read') {
    const { rooms, threads, messages } = content
    return { type: 'read', rooms, threads, messages, ...withBadge }
  }
  if (content.of === 'clients') return { id: content.id, ...withBadge, ...content.payload }
  const { room, messageID, messageType, threadOf, reminder } = content
  const more = { ...(threadOf !== undefined && { threadOf }), ...(reminder && { reminder }) }
  const message = { room, messageID, messageType, ...more }
  const made = (args: readonly string[]) => ({ ...message, ...shownText(push, content, args), ...withBadge })
  return fitted(content.locArgs, mostBytes, made)
}
