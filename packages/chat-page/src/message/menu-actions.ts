import type { Room, RoomInfo, RoomMessage, Thread } from '@parley/client'
import type { WritingAbout } from '../composer/writing-about.tsx'
import type { Asked } from '../people/message-question.tsx'
import type { Texts } from '../texts/en.ts'
import { contentOf } from './content.ts'

export interface MenuParts {
  room: Room
  /** The thread in which the message is shown. */
  thread: Thread | undefined
  info: RoomInfo | undefined
  message: RoomMessage
  me: string
  texts: Texts
  onAbout: (about: WritingAbout) => void
  /** Opens the thread about a message. */
  onThread: ((messageID: string) => void) | undefined
  onCopied: () => void
}

interface MenuAction {
  name: string
  icon: 'reply' | 'thread' | 'copy' | 'edit' | 'undo' | 'pin' | 'trash' | 'send' | 'close' | 'info' | 'flag' | 'block'
  act: () => unknown
  /** Opens this dialog instead, which performs the action. */
  ask?: Asked
  isDanger?: boolean
}

/** The actions the user can probably take on a message; the server decides. */
export function menuActions(parts: MenuParts): MenuAction[] {
  const { room, thread, info, message, texts, onAbout, onThread, onCopied } = parts
  const { _id, key, state, isMine, pinned, reactions } = message
  if (state !== 'sent') {
    return [
      ...(state === 'failed' ? [{ name: texts.retry, icon: 'send' as const, act: () => void retried(room, key) }] : []),
      { name: texts.discard, icon: 'trash', act: () => room.discard(key), isDanger: true },
    ]
  }
  const content = contentOf(message)
  const copy = async (text: string) => {
    await copyText(text)
    onCopied()
  }
  const actions: (MenuAction | false | undefined)[] = [
    info?.status !== 0 && { name: texts.reply, icon: 'reply', act: () => onAbout({ kind: 'reply', message }) },
    onThread && { name: texts.replyInThread, icon: 'thread', act: () => onThread(_id) },
    content.kind === 'text' && { name: texts.copy, icon: 'copy', act: () => copy(content.text) },
    isMine &&
      content.kind === 'text' && { name: texts.edit, icon: 'edit', act: () => onAbout({ kind: 'edit', message }) },
    isMine && { name: texts.recall, icon: 'undo', act: nothing, ask: 'recall' },
    !thread &&
      (pinned === true
        ? { name: texts.unpin, icon: 'pin', act: () => room.unpin(_id) }
        : { name: texts.pin, icon: 'pin', act: () => room.pin(_id) }),
    ((isMine && !thread) || reactions.length > 0) && {
      name: texts.people.info,
      icon: 'info',
      act: nothing,
      ask: 'info',
    },
    !isMine && { name: texts.people.report, icon: 'flag', act: nothing, ask: 'report', isDanger: true },
    !isMine && { name: texts.people.block, icon: 'block', act: nothing, ask: 'block', isDanger: true },
    { name: texts.people.delete, icon: 'trash', act: nothing, ask: 'delete', isDanger: true },
  ]
  return actions.filter((action) => action !== undefined && action !== false)
}

const nothing = () => undefined

/** The message itself shows another failure. */
async function retried(room: Room, key: string): Promise<void> {
  await room.retry(key).catch(() => undefined)
}

/** Copies a text, even on plain http, where the clipboard API is missing. */
async function copyText(text: string): Promise<void> {
  const { clipboard } = navigator as { clipboard?: Clipboard }
  if (clipboard) return clipboard.writeText(text)
  const put = (event: ClipboardEvent) => {
    event.preventDefault()
    event.clipboardData?.setData('text/plain', text)
  }
  document.addEventListener('copy', put, { once: true })
  // oxlint-disable-next-line typescript/no-deprecated -- the only way there
  const isCopied = document.execCommand('copy')
  document.removeEventListener('copy', put)
  if (!isCopied) throw new Error('the browser did not copy')
}
