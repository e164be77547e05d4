import type { ComponentChildren } from 'preact'
import { useChat } from '../state/chat.ts'
import { usePresence } from '../state/use-presence.ts'

/** A picture, with a dot when its user is online or away. */
export function WithPresence({ user, children }: { user: string | undefined; children: ComponentChildren }) {
  const { texts } = useChat()
  const state = usePresence(user)?.state
  return (
    <span class="with-presence">
      {children}
      {(state === 'online' || state === 'away') && (
        <span class={`presence ${state}`}>
          <span class="visually-hidden">{texts[state]}</span>
        </span>
      )}
    </span>
  )
}
