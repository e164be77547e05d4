import type { Room } from '@parley/client'
import { useEffect } from 'preact/hooks'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'

/** Typing members, by name. */
export function TypingLine({ room }: { room: Room }) {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  const typing = useStore(room.typing)
  useEffect(() => {
    for (const { user } of typing) people.find(room.id, user)
  }, [typing])
  const names = typing.map(({ user }) => {
    const person = known.get(user)
    return person ? nameOf(person) : texts.somebody
  })
  return (
    <p class="typing soft" aria-live="polite">
      {names.length > 0 && (
        <>
          <span class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </span>
          {texts.typing(names)}
        </>
      )}
    </p>
  )
}
