import type { Attachment } from '@parley/client'
import { useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { shownName } from '../app/shown-name.ts'
import { useChat } from '../state/chat.ts'
import { FileName } from './file-name.tsx'
import { sizeName } from './size-name.ts'

const playable = /^(audio\/(mpeg|mp4|ogg|wav|webm|aac|flac)|video\/(mp4|webm|ogg|quicktime))$/

/** Whether a page may play it (docs/reference/files.md#fetch). */
export const isPlayable = ({ type }: Pick<Attachment, 'type'>): boolean => playable.test(type)

/** A film or a sound, played in its place. Nothing of it is fetched before. */
export function AttachedMedia({ file: { fileID, name, type, size, width } }: { file: Attachment }) {
  const { client, texts, lang, attempt } = useChat()
  const [url, setURL] = useState<string>()
  const play = () => attempt(async () => setURL(await client.fileURL(fileID)))
  if (url !== undefined) {
    // An address ends after some minutes: a press on "play" asks for a new one.
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
