import type { Room, Thread } from '@parley/client'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../app/icon.tsx'
import { contentOf } from '../message/content.ts'
import { useChat, useStore } from '../state/chat.ts'
import { keepDraft, takeDraft } from './drafts.ts'
import { MentionList } from './mention-list.tsx'
import { useMentions } from './use-mentions.ts'
import { type WritingAbout, WritingAboutLine } from './writing-about.tsx'

interface ComposerProps {
  room: Room
  /** The thread in which it is written. */
  thread: Thread | undefined
  about: WritingAbout | undefined
  /** It is written, or given up. */
  onDone: () => void
}

/** Where to write: Enter sends, Shift and Enter begins a line; where there is only a screen, Enter begins a line. */
export function Composer({ room, thread, about, onDone }: ComposerProps) {
  const { client, texts, attempt } = useChat()
  const shown = thread ?? room
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useText(shown.id, about, field)
  const me = useStore(client.me)?._id
  const mentions = useMentions(room, field, text, setText, me)
  const editing = about?.kind === 'edit' ? about.message : undefined

  const label = thread ? texts.replyInThread : texts.message
  const stop = () => {
    if (editing) setText('')
    onDone()
    field.current?.focus()
  }
  const submit = async () => {
    const written = text.trim()
    if (written === '') return
    const mentioned = mentions.mentionedIn(written)
    const options = mentioned.length > 0 ? { mentions: mentioned } : {}
    field.current?.focus()
    if (editing) {
      if (await attempt(() => room.edit(editing._id, written, options))) stop()
      return
    }
    setText('')
    mentions.forget()
    onDone()
    // Whether it fails, the message itself shows.
    shown.send(written, { ...options, ...(about && { replyTo: about.message._id }) }).catch(() => undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (mentions.onKeyDown(event)) return
    if (event.key === 'Escape' && about) stop()
    else if (isToSend(event)) void submit()
    else return
    event.preventDefault()
  }
  return (
    <div class="composer">
      {about && <WritingAboutLine about={about} messages={shown.messages} onCancel={stop} />}
      <MentionList mentions={mentions} />
      <form
        class="composer-line"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          value={text}
          aria-label={label}
          placeholder={label}
          enterkeyhint="send"
          autocomplete="off"
          aria-autocomplete="list"
          aria-controls={mentions.found.length > 0 ? mentions.listID : undefined}
          aria-activedescendant={mentions.activeID}
          onKeyDown={onKeyDown}
          onInput={(event) => {
            setText(event.currentTarget.value)
            mentions.look()
            if (!thread) room.typed(event.currentTarget.value)
          }}
          onClick={mentions.look}
        />
        <button type="submit" class="send" aria-label={editing ? texts.save : texts.send} disabled={text.trim() === ''}>
          <Icon name={editing ? 'check' : 'send'} />
        </button>
      </form>
    </div>
  )
}

/** What is being written: kept as a draft, or the text that is edited. */
function useText(draftOf: string, about: WritingAbout | undefined, field: RefObject<HTMLTextAreaElement | null>) {
  const [text, setText] = useState(() => takeDraft(draftOf))
  const isEdit = about?.kind === 'edit'
  useEffect(() => keepDraft(draftOf, isEdit ? '' : text), [draftOf, text])
  useEffect(() => {
    const content = isEdit ? contentOf(about.message) : undefined
    if (content?.kind === 'text') setText(content.text)
    if (about || !matchMedia('(pointer: coarse)').matches) field.current?.focus()
  }, [about])
  useEffect(() => grow(field.current), [text])
  return [text, setText] as const
}

function isToSend(event: KeyboardEvent): boolean {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return false
  return !matchMedia('(pointer: coarse)').matches || matchMedia('(any-pointer: fine)').matches
}

/** As high as its text, up to what the style allows. */
function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
