import type { Room, RoomMessage } from '@parley/client'
import { Icon } from '../app/icon.tsx'
import { useChat, useStore } from '../state/chat.ts'

interface DeliveryProps {
  room: Room
  message: RoomMessage
  /** How many others are in the room. */
  others: number
}

/** How far an own message has come. */
export function Delivery({ room, message: { _id, state }, others }: DeliveryProps) {
  const { texts } = useChat()
  useStore(room.readers)
  const readBy = room.readBy(_id).length
  if (state === 'sent' && readBy > 0) {
    const label = others > 1 ? texts.readBy(readBy) : texts.read
    return (
      <span class="delivery is-read" title={label}>
        <Icon name="checks" />
        {others > 1 && <span aria-hidden="true">{readBy}</span>}
        <span class="visually-hidden">{label}</span>
      </span>
    )
  }
  const icons = { queued: 'clock', sending: 'clock', sent: 'check', failed: 'warning' } as const
  return (
    <span class="delivery" title={texts[state]}>
      <Icon name={icons[state]} />
      <span class="visually-hidden">{texts[state]}</span>
    </span>
  )
}
