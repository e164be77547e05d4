import type { Room, RoomMessage } from '@parley/client'
import { isolated } from '../app/shown-name.ts'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'

interface ReactionsProps {
  room: Room
  message: RoomMessage
  me: string
}

/** Each reaction with its count; a click adds one's own or takes it back. */
export function Reactions({ room, message, me }: ReactionsProps) {
  const { texts, people, attempt } = useChat()
  const known = useStore(people.known)
  if (message.isDeleted || message.reactions.length === 0) return null
  const users = new Map<string, string[]>()
  for (const { reaction, client } of message.reactions) users.set(reaction, [...(users.get(reaction) ?? []), client])
  return (
    <div class="reactions">
      {[...users].map(([reaction, by]) => {
        const isMine = by.includes(me)
        const names = by.map((id) =>
          id === me ? texts.you : isolated(nameOf(known.get(id) ?? { _id: id, nickname: '' })),
        )
        const toggle = () => (isMine ? room.unreact(message._id, reaction) : room.react(message._id, reaction))
        return (
          <button
            key={reaction}
            type="button"
            class={isMine ? 'reaction own' : 'reaction'}
            aria-pressed={isMine}
            title={names.slice(0, 20).join(', ')}
            onClick={() => void attempt(toggle)}
          >
            <span>{reaction}</span>
            <span>{by.length}</span>
            <span class="visually-hidden"> {texts.reactedBy(names.slice(0, 5).join(', '))}</span>
          </button>
        )
      })}
    </div>
  )
}
