import type { Message, ServerEvents } from '../generated/types.ts'
import type { Store } from '../store.ts'
import { type LiveText, LiveTexts } from './room-live.ts'

/** Stands for what is missing of a text: no message has it. */
const missing = '\0'

/**
 * What robots are writing: messages that are streamed into the history, each by itself, and other texts by robot
 * (docs/reference/messages.md#streamed-messages).
 */
export class StreamingTexts {
  readonly #live: LiveTexts
  readonly store: Store<readonly LiveText[]>
  /** Of messages: each piece at its place. */
  readonly #texts = new Map<string, string>()

  constructor(endsAfterMS: number) {
    this.#live = new LiveTexts(endsAfterMS)
    this.store = this.#live.store
  }

  /** @param known the message of the piece, where it is loaded */
  heard({ sender: user, text, message, at }: ServerEvents['ai_streaming'], known: Message | undefined): void {
    if (message === undefined || at === undefined) return this.#live.heard({ user }, (soFar) => soFar + text)
    // The piece comes after the end.
    if (known && !known.streaming) return
    const before = this.#texts.get(message) ?? textOf(known)
    const after = before.slice(0, at).padEnd(at, missing) + text + before.slice(at + text.length)
    this.#texts.set(message, after)
    this.#live.heard({ user, message }, () => after.replaceAll(/\0+/g, '…'))
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
    if (this.#texts.delete(message)) this.#live.end({ user, message })
  }

  close(): void {
    this.#texts.clear()
    this.#live.close()
  }
}

/** As the history has it so far. */
function textOf(known: Message | undefined): string {
  const content = known?.message
  const text = typeof content === 'object' && content !== null && 'text' in content ? content.text : content
  return typeof text === 'string' ? text : ''
}
