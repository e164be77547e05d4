import { useChat, useStore } from '../state/chat.ts'
import { onDemand } from './on-demand.tsx'

const PersonCard = onDemand(async () => (await import('../people/person-card.tsx')).PersonCard)

/** The card of the person that was clicked. */
export function ShownPersonCard() {
  const { shownPerson } = useChat()
  const shown = useStore(shownPerson)
  return shown ? <PersonCard key={shown.user} {...shown} onClose={() => shownPerson.set(undefined)} /> : null
}
