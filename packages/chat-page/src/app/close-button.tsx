import { useChat } from '../state/chat.ts'
import { IconButton } from './button.tsx'

export function CloseButton() {
  const { texts, onClose } = useChat()
  if (!onClose) return null
  return (
    <IconButton icon="close" class="close-chat" label={texts.closeChat} title={texts.closeChat} onClick={onClose} />
  )
}
