import type { Attachment } from '@parley/client'
import { useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { shownName } from '../app/shown-name.ts'
import { useChat } from '../state/chat.ts'
import { FileName } from './file-name.tsx'
import { sizeName } from './size-name.ts'

const playable = /^(audio\/(mpeg|mp4|ogg|wav|webm|aac|flac)|video\/(mp4|webm|ogg|quicktime))$/

/** Whether the page may play the file (docs/reference/files.md#fetch). */
export const isPlayable = ({ type }: Pick<Attachment, 'type'>): boolean => playable.test(type)

/** A video or audio file, played inline. Nothing is fetched before the user plays it. */
export function AttachedMedia({ file: { fileID, name, type, size, width } }: { file: Attachment }) {
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
