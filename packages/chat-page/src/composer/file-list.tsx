import { useRef } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { sizeName } from '../message/size-name.ts'
import { sentenceOf, useChat } from '../state/chat.ts'
import type { ChosenFiles } from './use-files.ts'

/** The files that go with the message: over the text field, each with a way to take it out. */
export function FileList({ files: { chosen, remove } }: { files: ChosenFiles }) {
  const { texts, lang } = useChat()
  if (chosen.length === 0) return null
  return (
    <ul class="chosen-files" aria-label={texts.files}>
      {chosen.map(({ key, file, attachment, error }) => (
        <li key={key} class={error ? 'chosen-file is-failed' : 'chosen-file'} aria-busy={!attachment && !error}>
          <Icon name={error ? 'warning' : 'file'} />
          <span>
            <bdi>{file.name}</bdi>
            <small>{error ? sentenceOf(texts, error) : attachment ? sizeName(file.size, lang) : texts.uploading}</small>
          </span>
          <button
            type="button"
            class="icon-button"
            aria-label={texts.removeFile(file.name)}
            onClick={() => remove(key)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  )
}

export function FileButton({ files }: { files: ChosenFiles }) {
  const { texts } = useChat()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        class="icon-button attach"
        aria-label={texts.attach}
        title={texts.attach}
        onClick={() => input.current?.click()}
      >
        <Icon name="attach" />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.attach}
        onChange={(event) => {
          files.add(event.currentTarget.files ?? [])
          // So that the same file can be chosen again.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
