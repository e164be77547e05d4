import type { Attachment } from '@parley/client'
import { useEffect, useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { shownName } from '../app/shown-name.ts'
import { useChat } from '../state/chat.ts'
import { FileName } from './file-name.tsx'
import { sizeName } from './size-name.ts'

/** The types that a page may show (docs/reference/files.md#fetch). */
const pictures = /^image\/(png|jpe?g|gif|webp|avif)$/

/** The files of a message: pictures are shown, others can be saved. */
export function Attachments({ files }: { files: readonly Attachment[] }) {
  const { direction } = useChat()
  return (
    <div class="attachments" dir={direction}>
      {files.map((file) =>
        pictures.test(file.type) ? (
          <AttachedPicture key={file.fileID} file={file} />
        ) : (
          <AttachedFile key={file.fileID} file={file} />
        ),
      )}
    </div>
  )
}

function AttachedPicture({ file }: { file: Attachment }) {
  const { client, attempt } = useChat()
  const { fileID, name, width = 4, height = 3 } = file
  const [url, setURL] = useState<string>()
  const [isGone, setGone] = useState(false)
  useEffect(() => {
    let isCurrent = true
    // As large as it is shown; a picture that is new or small has none, and is shown itself.
    client.thumbnailURL(fileID).then(
      (now) => isCurrent && setURL(now),
      () => isCurrent && setGone(true),
    )
    return () => {
      isCurrent = false
    }
  }, [fileID])
  if (isGone) return <AttachedFile file={file} />
  const open = async () => {
    // At once: after a pause a browser takes it for none of the user's wishes.
    const tab = window.open('', '_blank')
    const isThere = await attempt(async () => tab?.location.replace(await client.fileURL(fileID)))
    if (!isThere) tab?.close()
  }
  return (
    <button type="button" class="attached-picture" aria-label={shownName(name)} onClick={() => void open()}>
      {/* As large before it is loaded as after. */}
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" />
      {url !== undefined && <img src={url} alt="" onError={() => setGone(true)} />}
    </button>
  )
}

function AttachedFile({ file: { fileID, name, size } }: { file: Attachment }) {
  const { client, lang, attempt } = useChat()
  const save = () =>
    attempt(async () => {
      const { url = '' } = await client.api.getFile({ id: fileID, download: 'true' })
      const link = document.createElement('a')
      Object.assign(link, { href: url, download: shownName(name) })
      link.click()
    })
  return (
    <button
      type="button"
      class="file"
      aria-label={`${shownName(name)}, ${sizeName(size, lang)}`}
      onClick={() => void save()}
    >
      <Icon name="file" />
      <span>
        <FileName name={name} />
        <small>{sizeName(size, lang)}</small>
      </span>
    </button>
  )
}
