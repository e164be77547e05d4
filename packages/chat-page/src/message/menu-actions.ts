import type { Room, RoomInfo, RoomMessage } from '@parley/client'
import type { Texts } from '../texts/texts.ts'
import { contentOf } from './content.ts'

interface MenuParts {
  room: Room
  info: RoomInfo | undefined
  message: RoomMessage
  me: string
  texts: Texts
  onEdit: (message: RoomMessage) => void
  onCopied: () => void
}

interface MenuAction {
  name: string
  icon: 'copy' | 'edit' | 'undo' | 'pin' | 'trash' | 'send' | 'close'
  act: () => unknown
  isDanger?: boolean
}

/** What the user may do with a message, as far as the page knows; the server decides. */
export function menuActions({ room, info, message, me, texts, onEdit, onCopied }: MenuParts): MenuAction[] {
  const { _id, key, state, isMine, pinned } = message
  if (state !== 'sent') {
    return [
      ...(state === 'failed' ? [{ name: texts.retry, icon: 'send' as const, act: () => void retried(room, key) }] : []),
      { name: texts.discard, icon: 'trash', act: () => room.discard(key), isDanger: true },
    ]
  }
  const content = contentOf(message)
  const leads = info?.owner === me || info?.managers.includes(me) === true
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text)
    onCopied()
  }
  const actions: (MenuAction | false)[] = [
    content.kind === 'text' && { name: texts.copy, icon: 'copy', act: () => copy(content.text) },
    isMine && content.kind === 'text' && { name: texts.edit, icon: 'edit', act: () => onEdit(message) },
    isMine && { name: texts.recall, icon: 'undo', act: () => room.recall(_id) },
    pinned === true
      ? { name: texts.unpin, icon: 'pin', act: () => room.unpin(_id) }
      : { name: texts.pin, icon: 'pin', act: () => room.pin(_id) },
    { name: texts.deleteForMe, icon: 'trash', act: () => room.deleteForMe([_id]), isDanger: true },
    leads && { name: texts.deleteForAll, icon: 'trash', act: () => undefined, isDanger: true },
  ]
  return actions.filter((action) => action !== false)
}

/** Whether it fails again, the message itself shows. */
async function retried(room: Room, key: string): Promise<void> {
  await room.retry(key).catch(() => undefined)
}
