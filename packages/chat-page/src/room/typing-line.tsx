import type { Room } from '@parley/client'
import { useEffect } from 'preact/hooks'
import { isolated } from '../app/shown-name.ts'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf } from '../state/people.ts'
import type { Texts } from '../texts/en.ts'

/** Names the members who are typing. */
export function TypingLine({ room }: { room: Room }) {
  const { texts, people } = useChat()
  const known = useStore(people.known)
  const typing = useStore(room.typing)
  useEffect(() => {
    for (const { user } of typing) people.find(room.id, user)
  }, [typing])
  const names = typing.map(({ user }) => {
    const person = known.get(user)
    return person ? isolated(nameOf(person)) : texts.somebody
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
          <span class="typing-names">{typingSentence(names, texts)}</span>
        </>
      )}
    </p>
  )
}

function typingSentence([first = '', second, ...more]: readonly string[], texts: Texts): string {
  if (second === undefined) return texts.typingOne(first)
  return more.length === 0 ? texts.typingTwo(first, second) : texts.typingMany
}
