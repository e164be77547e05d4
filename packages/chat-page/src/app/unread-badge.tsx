import { useChat } from '../state/chat.ts'

/** The unread count; renders nothing for 0. It is part of its button's accessible name. */
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
