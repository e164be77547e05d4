import type { ImportLine, ImportOf } from '@parley/contracts/import-line'
import type { Db } from '@parley/db/connect'
import type { Attachment, FileDoc } from '@parley/db/files/documents'
import { findFiles } from '@parley/db/files/files'
import { findMessages } from '@parley/db/message-buckets/find-messages'
import type { MessageDoc } from '@parley/db/messages/documents'
import { attachmentsOf } from '../files/attach-files.ts'
import { importedMessageId } from './known-ids.ts'

type Message = ImportOf<'message'>

/** The attachments of a message. Files are uploaded before the import, by the sender or the integrator. */
function attach(files: ReadonlyMap<string, FileDoc>, { sender, attachments = [] }: Message): Attachment[] {
  const found = attachments.flatMap(({ fileID }) => files.get(fileID) ?? [])
  const allowed = found.filter(({ owner }) => owner === undefined || owner === sender)
  return attachmentsOf(allowed, attachments)
}

async function filesOf(db: Db, app: string, messages: readonly Message[], hold: boolean) {
  const ids = messages.flatMap(({ attachments = [] }) => attachments.map(({ fileID }) => fileID))
  return new Map((await findFiles(db, app, [...new Set(ids)], { hold })).map((file) => [file.id, file]))
}

/**
 * Why messages cannot have their files. A message that was imported before keeps its files, which may have been removed
 * since, for example by a recall.
 */
export async function faultsOfAttachments(
  db: Db,
  app: string,
  messages: readonly Message[],
): Promise<Map<ImportLine, string>> {
  const withFiles = messages.filter(({ attachments }) => attachments)
  const files = await filesOf(db, app, withFiles, false)
  const faults = new Map<Message, string>()
  for (const message of withFiles) {
    try {
      attach(files, message)
    } catch (error) {
      faults.set(message, (error as Error).message)
    }
  }
  const idOf = ({ room, _id }: Message) => importedMessageId(app, room, _id)
  const there = new Set(
    faults.size > 0 ? (await findMessages(db, [...faults.keys()].map(idOf))).map(({ _id }) => _id) : [],
  )
  for (const message of faults.keys()) if (there.has(idOf(message))) faults.delete(message)
  return faults
}

/**
 * Gives new messages their files, and holds these while the messages are written.
 * @throws Error if a file has been removed since the check
 */
export async function attachFiles(db: Db, app: string, messages: ReadonlyMap<MessageDoc, Message>): Promise<void> {
  const files = await filesOf(db, app, [...messages.values()], true)
  for (const [document, message] of messages) document.attachments = attach(files, message)
}
