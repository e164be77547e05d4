import { memo } from 'preact/compat'
import { Slot } from '../app/slot.tsx'
import { dayName } from '../room/times.ts'
import { useChat, useStore } from '../state/chat.ts'
import { Bubble, type MessageRowProps } from './bubble.tsx'
import { isSystem } from './content.ts'
import { systemSentence } from './system-sentence.ts'

/** A message, preceded by the day and the "new" divider where they start. */
export const MessageRow = memo(function MessageRow(props: MessageRowProps) {
  const { texts, lang, today } = useChat()
  const now = useStore(today)
  const { message, startsDay, isFirstUnread } = props.row
  return (
    <>
      {startsDay && (
        <div class="day">
          <span>{dayName(message.messageTimeMS, lang, now)}</span>
        </div>
      )}
      {isFirstUnread && (
        <div class="new-divider">
          <span>{texts.newMessages}</span>
        </div>
      )}
      {isSystem(message) ? (
        <SystemLine {...props} />
      ) : (
        <Slot of="message" about={{ room: props.room, message }}>
          <Bubble {...props} />
        </Slot>
      )}
    </>
  )
})

function SystemLine({ row: { message } }: MessageRowProps) {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  return <p class="system">{systemSentence(message, known, texts)}</p>
}
