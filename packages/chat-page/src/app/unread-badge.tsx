import { useChat } from '../state/chat.ts'

/** How many messages are unread; nothing when none are. */
export function UnreadBadge({ unread }: { unread: number }) {
  const { texts } = useChat()
  if (unread === 0) return null
  return (
    <span class="badge">
      {unread}
      <span class="visually-hidden"> {texts.unread}</span>
    </span>
  )
}
