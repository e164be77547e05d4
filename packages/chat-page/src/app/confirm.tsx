import { useChat } from '../state/chat.ts'
import { Dialog } from './dialog.tsx'

interface ConfirmProps {
  question: string
  action: string
  onConfirm: () => void
  onClose: () => void
}

/** Asks before an irreversible action. */
export function Confirm({ question, action, onConfirm, onClose }: ConfirmProps) {
  const { texts } = useChat()
  return (
    <Dialog title={action} onClose={onClose}>
      <p>{question}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          {texts.cancel}
        </button>
        <button
          type="button"
          class="button danger"
          onClick={() => {
            onConfirm()
            onClose()
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  )
}
