import type { Attachment, Client } from '@parley/client'
import { shownName } from '../app/shown-name.ts'

/** Saves a file of a message on the user's device. */
export async function saveFile(
  { api }: Pick<Client, 'api'>,
  { fileID, name }: Pick<Attachment, 'fileID' | 'name'>,
): Promise<void> {
  const { url = '' } = await api.getFile({ id: fileID, download: 'true' })
  Object.assign(document.createElement('a'), { href: url, download: shownName(name) }).click()
}
