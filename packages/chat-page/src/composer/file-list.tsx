import type { Upload } from '@parley/client/uploads'
import { useRef } from 'preact/hooks'
import { Button, IconButton } from '../app/button.tsx'
import { Icon } from '../app/icon.tsx'
import { shownName } from '../app/shown-name.ts'
import { FileName } from '../message/file-name.tsx'
import { sizeName } from '../message/size-name.ts'
import { sentenceOf, useChat } from '../state/chat.ts'
import { hasPreview, Preview } from './previews.tsx'
import type { ChosenFiles } from './use-files.ts'

/** The message's files above the text field, with their progress and buttons to remove them. */
export function FileList({ files: { chosen, remove, retry } }: { files: ChosenFiles }) {
  const { texts } = useChat()
  if (chosen.length === 0) return null
  return (
    <ul class="chosen-files" aria-label={texts.files}>
      {chosen.map((upload) => {
        const { key, name, state, error } = upload
        const mayRetry = state === 'failed' && error?.code !== 'UPLOAD_INTERRUPTED'
        return (
          <li
            key={key}
            class={state === 'failed' ? 'chosen-file is-failed' : 'chosen-file'}
            aria-busy={state === 'uploading'}
          >
            {hasPreview(key) ? <Preview of={key} /> : <Icon name={state === 'failed' ? 'warning' : 'file'} />}
            <span>
              <FileName name={name} />
              <UploadState upload={upload} />
            </span>
            {mayRetry && <Button class="link" onClick={() => retry(key)} label={texts.retry} />}
            <IconButton icon="close" label={texts.removeFile(shownName(name))} onClick={() => remove(key)} />
          </li>
        )
      })}
    </ul>
  )
}

function UploadState({ upload: { state, error, size, sentBytes, name } }: { upload: Upload }) {
  const { texts, lang } = useChat()
  if (state === 'failed') return <small role="alert">{sentenceOf(texts, error)}</small>
  if (state === 'uploaded') return <small>{sizeName(size, lang)}</small>
  const percent = size > 0 ? Math.floor((sentBytes / size) * 100) : 0
  return (
    <small>
      <progress max={100} value={percent} aria-label={`${shownName(name)}: ${texts.uploading}`} />
      {texts.uploaded(percent)}
    </small>
  )
}

export function FileButton({ files }: { files: ChosenFiles }) {
  const { texts } = useChat()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        icon="attach"
        class="attach"
        label={texts.attach}
        title={texts.attach}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={texts.attach}
        onChange={(event) => {
          files.add(event.currentTarget.files ?? [])
          // Lets the user choose the same file again.
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}
