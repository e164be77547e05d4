import type { Room, RoomMessage } from '@parley/client'
import { Dialog } from '../app/dialog.tsx'
import { useChat } from '../state/chat.ts'

interface DeleteDialogProps {
  room: Room
  message: RoomMessage
  /** Whether the user may delete it for everyone. */
  mayForAll: boolean
  onClose: () => void
}

export function DeleteDialog({ room, message: { _id }, mayForAll, onClose }: DeleteDialogProps) {
  const { texts, attempt } = useChat()
  const run = (action: () => Promise<unknown>) => {
    onClose()
    void attempt(action)
  }
  return (
    <Dialog title={texts.people.deleteTitle} onClose={onClose}>
      <p>{mayForAll ? texts.people.deleteWhich : texts.people.deleteMine}</p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          {texts.cancel}
        </button>
        <button type="button" class="button danger" onClick={() => run(() => room.deleteForMe([_id]))}>
          {texts.deleteForMe}
        </button>
        {mayForAll && (
          <button type="button" class="button danger" onClick={() => run(() => room.deleteForAll(_id))}>
            {texts.deleteForAll}
          </button>
        )}
      </div>
    </Dialog>
  )
}
