import type { Room, RoomMessage } from '@parley/client'
import { Icon } from '../app/icon.tsx'
import { useChat, useStore } from '../state/chat.ts'

interface DeliveryProps {
  room: Room
  message: RoomMessage
  /** Number of other members in the room. */
  others: number
}

/** The delivery state of the user's own message. */
export function Delivery({ room, message: { _id, state }, others }: DeliveryProps) {
  const { texts } = useChat()
  useStore(room.readers)
  useStore(room.delivered)
  const readBy = state === 'sent' ? room.readBy(_id).length : 0
  const deliveredTo = state === 'sent' ? room.deliveredTo(_id).length : 0
  if (deliveredTo > 0) {
    const isRead = readBy > 0
    const ofGroup = isRead ? texts.readBy(readBy) : texts.deliveredTo(deliveredTo)
    const label = others > 1 ? ofGroup : isRead ? texts.read : texts.delivered
    return (
      <span class={isRead ? 'delivery is-read' : 'delivery'} title={label}>
        <Icon name="checks" />
        {isRead && others > 1 && <span aria-hidden="true">{readBy}</span>}
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
