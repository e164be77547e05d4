import type { Message, ServerEvents } from '../generated/types.ts'
import type { Store } from '../store.ts'
import { type LiveText, LiveTexts } from './room-live.ts'
import { type Piece, textOfPieces, withPiece } from './text-pieces.ts'

/**
 * What robots are writing: messages that are streamed into the history, each by itself, and other texts by robot
 * (docs/reference/messages.md#streamed-messages).
 */
export class StreamingTexts {
  readonly #live: LiveTexts
  readonly store: Store<readonly LiveText[]>
  readonly #pieces = new Map<string, readonly Piece[]>()

  constructor(endsAfterMS: number) {
    this.#live = new LiveTexts(endsAfterMS)
    this.store = this.#live.store
  }

  /** @param known the message of the piece, where it is loaded */
  heard({ sender: user, text, message, at }: ServerEvents['ai_streaming'], known: Message | undefined): void {
    if (message === undefined || at === undefined) return this.#live.heard({ user }, (soFar) => soFar + text)
    // The piece comes after the end.
    if (known && !known.streaming) return
    const before = this.#pieces.get(message) ?? [{ at: 0, text: textOf(known) }]
    const pieces = withPiece(before, { at, text })
    this.#pieces.set(message, pieces)
    this.#live.heard({ user, message }, () => textOfPieces(pieces))
  }

  /** A new message: who sent it is not writing it any more. */
  sent({ sender }: Message): void {
    this.#live.end({ user: sender._id })
  }

  /** A message was sent or changed. */
  changed({ _id, sender, streaming }: Message): void {
    if (!streaming) this.ended(_id, sender._id)
  }

  ended(message: string, user = ''): void {
    if (this.#pieces.delete(message)) this.#live.end({ user, message })
  }

  close(): void {
    this.#pieces.clear()
    this.#live.close()
  }
}

/** As the history has it so far. */
function textOf(known: Message | undefined): string {
  const content = known?.message
  const text = typeof content === 'object' && content !== null && 'text' in content ? content.text : content
  return typeof text === 'string' ? text : ''
}
