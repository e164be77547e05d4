import type { ComponentChildren } from 'preact'
import { useChat } from '../state/chat.ts'
import { hasListBeside, useMatches } from './use-matches.ts'

/** The heading of a room or thread. It is an h1 on a phone, where the list and its heading are hidden. */
export function ViewTitle({ children }: { children: ComponentChildren }) {
  const { isPart } = useChat()
  const Heading = useMatches(hasListBeside) || isPart ? 'h2' : 'h1'
  return (
    <Heading class="view-title" dir="auto">
      {children}
    </Heading>
  )
}
