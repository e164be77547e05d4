import { ApiError } from '@parley/contracts/errors'
import type { AttachmentToSend } from '@parley/contracts/resources/file'
import type { MessageDoc } from '@parley/db/messages/documents'
import type { Chat } from '../../chat.ts'
import { attachFiles } from '../../files/attach-files.ts'
import { findRepeated } from '../../send/decide.ts'
import type { Draft } from '../../send/new-message.ts'

/**
 * The draft with its files. If the files are gone, e.g. after a recall, and the draft was sent before under its key,
 * the first message.
 * @throws ApiError FILE_NOT_FOUND, INVALID_REQUEST
 */
export async function attachToDraft(
  chat: Chat,
  files: readonly AttachmentToSend[],
  draft: Draft,
): Promise<Draft | { first: MessageDoc }> {
  try {
    return { ...draft, attachments: await attachFiles(chat, draft, files) }
  } catch (error) {
    const first = error instanceof ApiError && (await findRepeated(chat, draft))
    if (first) return { first }
    throw error
  }
}
