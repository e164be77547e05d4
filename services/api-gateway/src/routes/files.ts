import type { Chat } from '@parley/chat/chat'
import { createFile } from '@parley/chat/files/create-file'
import type { Files } from '@parley/chat/files/files'
import { getFile } from '@parley/chat/files/get-file'
import { confirmUpload } from '@parley/chat/files/take-upload'
import * as operations from '@parley/contracts/operations/files/files'
import type { Mount } from '../mount.ts'
import { Redirect } from '../replies/special-replies.ts'

export function mountFiles(mount: Mount, chat: Chat, files: FilesHere): void {
  mount(operations.createFile, ({ caller, body, origin }) =>
    createFile(chat, files, caller, body, files.publicUrl ?? origin()),
  )

  mount(operations.markUploaded, ({ caller, params }) => confirmUpload(chat, files, caller, params.id))

  mount(operations.getFile, async ({ caller, params, query, origin }) => {
    const base = files.publicUrl ?? origin()
    const file = await getFile(chat, caller, params.id, {
      store: files.store,
      base,
      download: query.download === 'true',
    })
    return query.redirect === 'true' && file.url !== undefined ? new Redirect(file.url) : file
  })
}

/** The files of a gateway. */
export interface FilesHere extends Files {
  /** URL of the gateways for clients; default: the origin of the request. */
  publicUrl?: string | undefined
}

/** The origin of file uploads and downloads, if it differs from the API's. */
export function filesOrigin({ store, publicUrl }: FilesHere): string | undefined {
  if (store.kind === 's3') return store.origin
  return publicUrl === undefined ? undefined : new URL(publicUrl).origin
}
