import type { RoomMessage } from '@parley/client'
import { DrawnText } from '../app/drawn-text.tsx'
import { shownName } from '../app/shown-name.ts'
import { usePlainText } from '../rooms/preview.ts'
import { useChat, useStore } from '../state/chat.ts'
import { nameOf, personIn } from '../state/people.ts'
import type { Texts } from '../texts/en.ts'
import { contentOf } from './content.ts'

export type Quoted = NonNullable<RoomMessage['replyTo']>

/** The quoted message above a reply; a click jumps to it. */
export function Quote({ quote, onGoTo }: { quote: Quoted; onGoTo: (messageID: string) => void }) {
  const { texts } = useChat()
  const name = useNameOf(quote.sender)
  const plain = usePlainText()
  const text = quoteText(quote, texts, plain)
  return (
    <button
      type="button"
      class={quote.isDeleted ? 'quote gone' : 'quote'}
      aria-label={`${texts.inReplyTo(name)}: ${text}`}
      onClick={() => onGoTo(quote._id)}
    >
      <DrawnText class="quote-name" text={name} />
      <DrawnText text={text} />
    </button>
  )
}

/** A user's name, or "You" for the current user. */
export function useNameOf(user: string): string {
  const { client, texts, people } = useChat()
  const known = useStore(people.known)
  if (user === useStore(client.me)?._id) return texts.you
  return nameOf(personIn(known, user))
}

function quoteText(
  { text, isDeleted, messageType }: Quoted,
  texts: Texts,
  plain: ReturnType<typeof usePlainText>,
): string {
  if (isDeleted) return texts.deleted
  const content = contentOf({ message: text === '' ? undefined : text, messageType })
  if (content.kind === 'recalled') return texts.recalled
  if (content.kind === 'image') return texts.image
  return text === '' ? texts.file : shownName(plain(text, messageType))
}
