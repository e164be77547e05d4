import { useChat } from '../state/chat.ts'
import { Icon } from './icon.tsx'

export function CloseButton() {
  const { texts, onClose } = useChat()
  if (!onClose) return null
  return (
    <button
      type="button"
      class="icon-button close-chat"
      aria-label={texts.closeChat}
      title={texts.closeChat}
      onClick={onClose}
    >
      <Icon name="close" />
    </button>
  )
}
