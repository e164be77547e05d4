import { useChat } from '../state/chat.ts'

/** How many messages are unread; nothing when none are. Part of the name of the button that it stands in. */
export function UnreadBadge({ unread, isQuiet = false }: { unread: number; isQuiet?: boolean }) {
  const { texts } = useChat()
  if (unread === 0) return null
  return (
    <span class={isQuiet ? 'badge quiet' : 'badge'}>
      {unread > 99 ? '99+' : unread}
      <span class="visually-hidden"> {texts.unread}</span>
    </span>
  )
}
