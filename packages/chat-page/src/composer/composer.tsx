import type { Room, RoomMessage, Thread } from '@parley/client'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { IconButton } from '../app/button.tsx'
import { Icon } from '../app/icon.tsx'
import { EmojiDialog } from '../emoji/emoji-dialog.tsx'
import { contentOf } from '../message/content.ts'
import { useChat, useStore } from '../state/chat.ts'
import { CommandList, useCommands } from './command-list.tsx'
import { enterSends } from './enter-sends.ts'
import { FileButton, FileList } from './file-list.tsx'
import { isComposing } from './is-composing.ts'
import { MentionList } from './mention-list.tsx'
import type { MentionRange } from './mention-ranges.ts'
import { TextField } from './text-field.tsx'
import { useDroppedFiles } from './use-dropped-files.ts'
import { useFiles } from './use-files.ts'
import { mentionsOf, useMentions, type Written } from './use-mentions.ts'
import { type WritingAbout, WritingAboutLine } from './writing-about.tsx'

interface ComposerProps {
  room: Room
  /** The thread that the message joins. */
  thread: Thread | undefined
  about: WritingAbout | undefined
  /** Starts to edit the user's latest message. Returns whether there is one. */
  onEditLast: () => boolean
  /** The reply or edit was sent or cancelled. */
  onDone: () => void
}

/** The composer. Enter sends and Shift+Enter starts a new line; on touch-only devices, Enter starts a new line. */
export function Composer({ room, thread, about, onEditLast, onDone }: ComposerProps) {
  const { client, texts, attempt } = useChat()
  const shown = thread ?? room
  const field = useRef<HTMLTextAreaElement>(null)
  const written = useWritten(shown.id, about, field)
  const { text } = written
  const me = useStore(client.me)?._id
  const mentions = useMentions(room, field, written, me)
  const commands = useCommands(room, text, mentions.take)
  const waitS = useSlowMode(room, me, useStore(client.me)?.isRobot === true)
  const editing = about?.kind === 'edit' ? about.message : undefined

  const files = useFiles(shown.id)
  const place = useDroppedFiles(files.add)
  const isEmpty = text.trim() === '' && (editing !== undefined || files.attachments.length === 0)
  // Files belong to the draft, which an edit does not touch.
  const maySend = !isEmpty && (editing !== undefined || (files.areReady && waitS === 0))
  const label = thread ? texts.replyInThread : texts.message
  const stop = () => {
    onDone()
    field.current?.focus()
  }
  const submit = async () => {
    if (!maySend) return
    const sent = text.trim()
    const mentioned = [...mentions.mentioned(), ...written.elsewhere]
    field.current?.focus()
    if (editing) {
      if (await attempt(() => room.edit(editing._id, sent, { mentions: mentioned }))) stop()
      return
    }
    written.write('', [])
    files.clear()
    onDone()
    const options = mentioned.length > 0 ? { mentions: mentioned } : {}
    // The message itself shows a failure.
    const replyTo = about && { replyTo: about.message._id }
    const { attachments } = files
    const [first] = attachments
    const withFiles = first && { attachments, messageType: 'file' }
    shown.send(sent || first?.name, { ...options, ...replyTo, ...withFiles }).catch(() => undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || commands.onKeyDown(event) || mentions.onKeyDown(event)) return
    if (event.key === 'Escape' && about) stop()
    else if (isToSend(event)) void submit()
    else if (event.key !== 'ArrowUp' || text !== '' || about || !onEditLast()) return
    event.preventDefault()
  }
  return (
    <div class="composer" ref={place}>
      {about && <WritingAboutLine about={about} messages={shown.messages} onCancel={stop} />}
      <MentionList mentions={mentions} />
      <CommandList commands={commands} />
      {waitS > 0 && !editing && <p class="slow-mode soft">{texts.waitToSend(waitS)}</p>}
      {!editing && <FileList files={files} />}
      <form
        class="composer-line"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        {!editing && <FileButton files={files} />}
        <EmojiButton field={field} onText={mentions.take} />
        <TextField
          {...{ field, text, label, mentions, onKeyDown }}
          enter={editing ? 'done' : 'send'}
          onText={(now) => {
            mentions.take(now)
            mentions.look()
            if (!thread) room.typed(now)
          }}
          onFiles={files.add}
        />
        <SendButton isEdit={editing !== undefined} maySend={maySend} />
      </form>
    </div>
  )
}

function SendButton({ isEdit, maySend }: { isEdit: boolean; maySend: boolean }) {
  const { texts } = useChat()
  return (
    <button type="submit" class="send" aria-label={isEdit ? texts.save : texts.send} disabled={!maySend}>
      <Icon name={isEdit ? 'check' : 'send'} />
    </button>
  )
}

/** The text being written: the draft, or an edited text, which does not touch the draft. */
function useWritten(
  draftOf: string,
  about: WritingAbout | undefined,
  field: RefObject<HTMLTextAreaElement | null>,
): Written & { elsewhere: readonly string[] } {
  const { people, drafts } = useChat()
  const draft = useStore(drafts.of(draftOf))
  const [edited, setEdited] = useState<{ about: WritingAbout; text: string; mentions: readonly MentionRange[] }>()
  // Focus in the same frame as the view, so that a key pressed then reaches the field.
  useLayoutEffect(() => {
    if (about || !matchMedia('(pointer: coarse)').matches) field.current?.focus()
  }, [about])
  const before = useMemo(() => {
    if (about?.kind !== 'edit') return undefined
    const content = contentOf(about.message)
    const text = content.kind === 'text' ? content.text : ''
    return { text, ...mentionsOf(about.message, text, people.known.get()) }
  }, [about])
  if (!about || !before) {
    return { ...draft, elsewhere: [], write: (text, mentions) => drafts.change(draftOf, { text, mentions }) }
  }
  const now = edited?.about === about ? edited : before
  return {
    ...{ text: now.text, mentions: now.mentions, elsewhere: before.elsewhere },
    write: (text, mentions) => setEdited({ about, text, mentions }),
  }
}

const isToSend = ({ key, shiftKey }: KeyboardEvent): boolean => key === 'Enter' && !shiftKey && enterSends()

/** Seconds until slow mode lets the user send again. An estimate: the server decides. */
function useSlowMode(room: Room, me: string | undefined, isRobot: boolean): number {
  const info = useStore(room.info)
  const messages = useStore(room.messages)
  const [now, setNow] = useState(Date.now)
  const isFree = isRobot || info?.owner === me || info?.managers.includes(me ?? '') === true
  const everyMS = isFree ? 0 : (info?.slowModeS ?? 0) * 1_000
  const last = everyMS > 0 ? lastSentMS(messages) : undefined
  // The user's clock may differ from the server's: never wait longer than one interval.
  const leftMS = last === undefined ? 0 : Math.min(last + everyMS - now, everyMS)
  const isWaiting = leftMS > 0
  useEffect(() => setNow(Date.now()), [last])
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => setNow(Date.now()), 500)
    return () => clearInterval(timer)
  }, [isWaiting])
  return isWaiting ? Math.ceil(leftMS / 1_000) : 0
}

const lastSentMS = (messages: readonly RoomMessage[]): number | undefined =>
  messages.findLast(({ isMine, state }) => isMine && state !== 'failed')?.messageTimeMS

interface EmojiButtonProps {
  field: RefObject<HTMLTextAreaElement | null>
  onText: (text: string) => void
}

/** Inserts an emoji at the caret. CSS hides it on phones, whose keyboards have their own. */
function EmojiButton({ field, onText }: EmojiButtonProps) {
  const { texts } = useChat()
  const [isOpen, setOpen] = useState(false)
  const insert = (emoji: string) => {
    if (!field.current) return
    const { value, selectionStart, selectionEnd } = field.current
    const caret = selectionStart + emoji.length
    onText(value.slice(0, selectionStart) + emoji + value.slice(selectionEnd))
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(caret, caret)
    })
  }
  return (
    <>
      <IconButton
        icon="smile"
        class="attach emoji-button"
        label={texts.emoji}
        title={texts.emoji}
        onClick={() => setOpen(true)}
      />
      {isOpen && <EmojiDialog onPick={insert} onClose={() => setOpen(false)} />}
    </>
  )
}
