import type { Message, ServerEvents } from '../generated/types.ts'
import type { Store } from '../store.ts'
import { createLiveTexts, type LiveText, type LiveTexts } from './room-live.ts'
import { textIn } from './text-of.ts'

/** Placeholder for a missing part of a text. */
const missing = '\0'

/**
 * Texts that robots are writing: one per streamed message, and one per robot for other texts
 * (docs/reference/messages.md#streamed-messages).
 */
export class StreamingTexts {
  readonly #live: LiveTexts
  readonly store: Store<readonly LiveText[]>
  /** Texts of streamed messages, with each piece at its place. */
  readonly #texts = new Map<string, string>()

  constructor(endsAfterMS: number) {
    this.#live = createLiveTexts(endsAfterMS)
    this.store = this.#live.store
  }

  /** @param known the piece's message, if it is loaded */
  heard({ sender: user, text, message, at }: ServerEvents['ai_streaming'], known: Message | undefined): void {
    if (message === undefined || at === undefined) return this.#live.heard({ user }, (soFar) => soFar + text)
    // The piece arrived after the message had ended.
    if (known && !known.streaming) return
    const before = this.#texts.get(message) ?? ''
    const after = before.slice(0, at).padEnd(at, missing) + text + before.slice(at + text.length)
    this.#show({ user, message }, filled(after, known))
  }

  /**
   * Fills in missed pieces from messages loaded since, or ends texts whose message is complete.
   * @param find returns a message, if it is loaded
   */
  loaded(find: (message: string) => Message | undefined): void {
    for (const [message, text] of this.#texts) {
      const known = find(message)
      if (!known) continue
      const now = filled(text, known)
      if (!known.streaming) this.ended(message)
      else if (now !== text) this.#show({ user: known.sender._id, message }, now)
    }
  }

  /** A new message ends its sender's text. */
  sent({ sender }: Message): void {
    this.#live.end({ user: sender._id })
  }

  /** A message was sent or changed. */
  changed({ _id, sender, streaming }: Message): void {
    if (!streaming) this.ended(_id, sender._id)
  }

  ended(message: string, user = ''): void {
    if (this.#texts.delete(message)) this.#live.end({ user, message })
  }

  close(): void {
    this.#texts.clear()
    this.#live.close()
  }

  #show(writing: { user: string; message: string }, text: string): void {
    this.#texts.set(writing.message, text)
    this.#live.heard(writing, () => text.replaceAll(/\0+/g, '…'))
  }
}

/** Fills gaps in a text, and its end, from the stored message. */
function filled(text: string, known: Message | undefined): string {
  const stored = textIn(known?.message)
  const within = text.replaceAll(/\0+/g, (gap, at: number) =>
    stored.slice(at, at + gap.length).padEnd(gap.length, missing),
  )
  return within + stored.slice(text.length)
}
