import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { enterSends } from './enter-sends.ts'
import type { Mentions } from './use-mentions.ts'

interface TextFieldProps {
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  label: string
  mentions: Mentions
  /** The action of Enter, unless it starts a new line. */
  enter: 'send' | 'done'
  onKeyDown: (event: KeyboardEvent) => void
  onText: (text: string) => void
  /** Called with pasted files. */
  onFiles: (files: Iterable<File>) => void
}

export function TextField({ field, text, label, mentions, enter, onKeyDown, onText, onFiles }: TextFieldProps) {
  useLayoutEffect(() => grow(field.current), [text])
  return (
    <textarea
      ref={field}
      rows={1}
      dir="auto"
      value={text}
      aria-label={label}
      placeholder={label}
      enterkeyhint={enterSends() ? enter : 'enter'}
      autocomplete="off"
      aria-autocomplete="list"
      aria-controls={mentions.found.length > 0 ? mentions.listID : undefined}
      aria-activedescendant={mentions.activeID}
      onKeyDown={onKeyDown}
      onInput={(event) => onText(event.currentTarget.value)}
      onClick={mentions.look}
      onPaste={({ clipboardData }) => onFiles(filesIn(clipboardData))}
    />
  )
}

/** Ignores a file that comes with text: office programs add a picture of the copied text. */
function filesIn(pasted: DataTransfer | null): Iterable<File> {
  return pasted && pasted.getData('text/plain') === '' ? pasted.files : []
}

/** Fits the height to the text, up to the limit in CSS. */
function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
