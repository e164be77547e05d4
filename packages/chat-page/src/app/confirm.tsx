import { useChat } from '../state/chat.ts'
import { Button } from './button.tsx'
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
        <Button class="button" onClick={onClose} label={texts.cancel} />
        <Button
          class="button danger"
          onClick={() => {
            onConfirm()
            onClose()
          }}
          label={action}
        />
      </div>
    </Dialog>
  )
}
