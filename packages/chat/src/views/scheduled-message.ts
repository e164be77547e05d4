import { readJson } from '@parley/contracts/free-json'
import type { ScheduledMessage } from '@parley/contracts/resources/scheduled-message'
import type { ScheduledDoc } from '@parley/db/messages/documents'

/** A message to send later as the contract shows it. */
export function toScheduledView(doc: ScheduledDoc): ScheduledMessage {
  const { id, room, sender, content, messageType, mentions, clientMessageID, replyTo, sendAtMS } = doc
  const { attachments, thread, expiresInS, createdAtMS, refused } = doc
  return {
    ...{ id, room, sender, message: readJson(content), messageType, sendAtMS, createdAtMS },
    ...(mentions && { mentions }),
    ...(clientMessageID !== undefined && { clientMessageID }),
    ...(attachments && { attachments }),
    ...(replyTo !== undefined && { replyTo }),
    ...(thread && { thread }),
    ...(expiresInS !== undefined && { expiresInS }),
    ...(refused && { refused }),
  }
}
