import type { RoomMessage, Thread } from '@parley/client'
import { Avatar } from '../app/avatar.tsx'
import { UnreadBadge } from '../app/unread-badge.tsx'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf, personIn } from '../state/people.ts'

interface ThreadLinkProps {
  message: RoomMessage
  thread: Thread
  onThread: (messageID: string) => void
}

const mostShown = 3

/** Below a message: its thread's participants and number of replies. */
export function ThreadLink({ message, thread, onThread }: ThreadLinkProps) {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  const unread = useStore(thread.unread)
  const { threadCount = 0, threadParticipants = [] } = message
  return (
    <button type="button" class="thread-link" onClick={() => onThread(message._id)}>
      <span class="thread-people">
        {threadParticipants.slice(0, mostShown).map((id) => {
          const person = personIn(known, id)
          return <Avatar key={id} id={id} name={nameOf(person)} url={person.avatarUrl} isSmall />
        })}
      </span>
      {texts.replies(threadCount)}
      <UnreadBadge unread={unread} />
    </button>
  )
}
