import type { Room, RoomMessage } from '@parley/client'
import { Confirm } from '../app/confirm.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import { block } from './block.ts'
import { DeleteDialog } from './delete-dialog.tsx'
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
