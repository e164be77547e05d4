import type { Room, RoomMessage } from '@parley/client'
import { isolated } from '../app/shown-name.ts'
import { lookOf } from '../emoji/look.ts'
import { toggleReaction } from '../emoji/toggle-reaction.ts'
import { useChat, useStore } from '../state/chat.ts'
import { groupBy } from '../state/group-by.ts'
import { nameOf, personIn } from '../state/people.ts'

interface ReactionsProps {
  room: Room
  message: RoomMessage
  me: string
}

/** Each reaction with its count. A click adds or removes the user's own. */
export function Reactions({ room, message, me }: ReactionsProps) {
  const { texts, people, attempt } = useChat()
  const known = useStore(people.known)
  if (message.isDeleted || message.reactions.length === 0) return null
  const shown = groupBy(message.reactions, ({ reaction }) => lookOf(reaction))
  return (
    <div class="reactions">
      {shown.map(([look, given]) => {
        const by = [...new Set(given.map(({ client }) => client))]
        const isMine = by.includes(me)
        const names = by.map((id) => (id === me ? texts.you : isolated(nameOf(personIn(known, id)))))
        const reaction = given[0]?.reaction ?? look
        return (
          <button
            key={look}
            type="button"
            class={isMine ? 'reaction own' : 'reaction'}
            aria-pressed={isMine}
            title={names.slice(0, 20).join(', ')}
            onClick={() => void attempt(() => toggleReaction(room, message, me, reaction))}
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
