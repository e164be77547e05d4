import type { ComponentChildren } from 'preact'
import { hasListBeside, useMatches } from './use-matches.ts'

/** The heading of a room or thread: on a phone, where the list and its heading are away, it is the page's first. */
export function ViewTitle({ children }: { children: ComponentChildren }) {
  const Heading = useMatches(hasListBeside) ? 'h2' : 'h1'
  return (
    <Heading class="view-title" dir="auto">
      {children}
    </Heading>
  )
}
