import type { Room, RoomMessage } from '@parley/client'
import { Button } from '../app/button.tsx'
import { Confirm } from '../app/confirm.tsx'
import { Dialog } from '../app/dialog.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { block } from './block.ts'
import { MessageInfoSheet } from './message-info-sheet.tsx'
import { ReportDialog } from './report-dialog.tsx'

/** Dialogs that a message's menu opens. */
export type Asked = 'recall' | 'delete' | 'report' | 'block' | 'info'

interface MessageQuestionProps {
  asked: Asked
  room: Room
  message: RoomMessage
  onClose: () => void
}

export function MessageQuestion({ asked, room, message, onClose }: MessageQuestionProps) {
  const { client, texts, attempt, notices } = useChat()
  const me = useStore(client.me)?._id ?? ''
  const info = useStore(room.info)
  const name = nameOf(message.sender)
  switch (asked) {
    case 'recall': {
      const recall = () => void attempt(() => room.recall(message._id))
      return <Confirm question={texts.people.recallSure} action={texts.recall} onConfirm={recall} onClose={onClose} />
    }
    case 'block': {
      const act = async () => {
        if (await attempt(() => block(client, message.sender._id))) notices.show(texts.people.blocked(name))
      }
      return (
        <Confirm
          question={texts.people.blockSure(name)}
          action={texts.people.block}
          onConfirm={() => void act()}
          onClose={onClose}
        />
      )
    }
    case 'delete': {
      const mayForAll = info?.owner === me || info?.managers.includes(me) === true
      return <DeleteDialog {...{ room, message, mayForAll, onClose }} />
    }
    case 'report':
      return <ReportDialog {...{ message, onClose }} />
    case 'info':
      return <MessageInfoSheet {...{ room, message, onClose }} />
  }
}

interface DeleteDialogProps extends Omit<MessageQuestionProps, 'asked'> {
  /** Whether the user may delete it for everyone. */
  mayForAll: boolean
}

function DeleteDialog({ room, message: { _id }, mayForAll, onClose }: DeleteDialogProps) {
  const { texts, attempt } = useChat()
  const run = (action: () => Promise<unknown>) => {
    onClose()
    void attempt(action)
  }
  return (
    <Dialog title={texts.people.deleteTitle} onClose={onClose}>
      <p>{mayForAll ? texts.people.deleteWhich : texts.people.deleteMine}</p>
      <div class="dialog-actions">
        <Button class="button" onClick={onClose} label={texts.cancel} />
        <Button class="button danger" onClick={() => run(() => room.deleteForMe([_id]))} label={texts.deleteForMe} />
        {mayForAll && (
          <Button class="button danger" onClick={() => run(() => room.deleteForAll(_id))} label={texts.deleteForAll} />
        )}
      </div>
    </Dialog>
  )
}
