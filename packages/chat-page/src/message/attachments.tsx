import type { Attachment } from '@parley/client'
import { useContext, useEffect, useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { shownName } from '../app/shown-name.ts'
import { useChat } from '../state/chat.ts'
import { FileName } from './file-name.tsx'
import { GalleryContext, isPicture } from './gallery-context.ts'
import { saveFile } from './save-file.ts'
import { sizeName } from './size-name.ts'

/** A message's files: pictures are shown, media are played, others can be saved. */
export function Attachments({ files }: { files: readonly Attachment[] }) {
  const { direction } = useChat()
  return (
    <div class="attachments" dir={direction}>
      {files.map((file) =>
        isPicture(file) ? (
          <AttachedPicture key={file.fileID} file={file} />
        ) : isPlayable(file) ? (
          <AttachedMedia key={file.fileID} file={file} />
        ) : (
          <AttachedFile key={file.fileID} file={file} />
        ),
      )}
    </div>
  )
}

/** Maximum width and height in the conversation. */
const mostPixels = 320

function AttachedPicture({ file }: { file: Attachment }) {
  const { client, attempt } = useChat()
  const { fileID, name, width = 320, height = 240 } = file
  const openGallery = useContext(GalleryContext)
  const [url, setURL] = useState<string>()
  const [isGone, setGone] = useState(false)
  useEffect(() => {
    let isCurrent = true
    // A new or small picture has no thumbnail, and is shown itself.
    client.thumbnailURL(fileID).then(
      (now) => isCurrent && setURL(now),
      () => isCurrent && setGone(true),
    )
    return () => {
      isCurrent = false
    }
  }, [fileID])
  const scale = Math.min(1, mostPixels / width, mostPixels / height)
  if (isGone) return <AttachedFile file={file} />
  const open = async () => {
    if (openGallery) return openGallery(fileID)
    // Open the tab synchronously: later, the browser would block it as a popup.
    const tab = window.open('', '_blank')
    const isOpened = await attempt(async () => tab?.location.replace(await client.fileURL(fileID)))
    if (!isOpened) tab?.close()
  }
  return (
    <button type="button" class="attached-picture" aria-label={shownName(name)} onClick={() => void open()}>
      {/* Reserves the picture's space before it loads. */}
      <svg viewBox={`0 0 ${width} ${height}`} width={Math.round(width * scale)} aria-hidden="true" />
      {url !== undefined && <img src={url} alt="" onError={() => setGone(true)} />}
    </button>
  )
}

function AttachedFile({ file }: { file: Attachment }) {
  const { client, lang, attempt } = useChat()
  const { name, size } = file
  return (
    <button
      type="button"
      class="file"
      aria-label={`${shownName(name)}, ${sizeName(size, lang)}`}
      onClick={() => void attempt(() => saveFile(client, file))}
    >
      <Icon name="file" />
      <span>
        <FileName name={name} />
        <small>{sizeName(size, lang)}</small>
      </span>
    </button>
  )
}

const playable = /^(audio\/(mpeg|mp4|ogg|wav|webm|aac|flac)|video\/(mp4|webm|ogg|quicktime))$/

/** Whether the page may play the file (docs/reference/files.md#fetch). */
const isPlayable = ({ type }: Pick<Attachment, 'type'>): boolean => playable.test(type)

/** A video or audio file, played inline. Nothing is fetched before the user plays it. */
function AttachedMedia({ file: { fileID, name, type, size, width } }: { file: Attachment }) {
  const { client, texts, lang, attempt } = useChat()
  const [url, setURL] = useState<string>()
  const play = () => attempt(async () => setURL(await client.fileURL(fileID)))
  if (url !== undefined) {
    // URLs expire after some minutes: "play" then requests a new one.
    const media = { src: url, controls: true, autoPlay: true, onError: () => setURL(undefined) }
    const label = shownName(name)
    return type.startsWith('audio/') ? (
      <audio class="media" aria-label={label} {...media} />
    ) : (
      <video class="media" aria-label={label} playsInline width={width} {...media} />
    )
  }
  return (
    <button type="button" class="file" aria-label={texts.play(shownName(name))} onClick={() => void play()}>
      <Icon name="play" />
      <span>
        <FileName name={name} />
        <small>{sizeName(size, lang)}</small>
      </span>
    </button>
  )
}
