import { createStore, type Store } from '../store.ts'
import { withReplaced } from '../with-replaced.ts'

/** A member who is writing, and the text so far, as far as their app shows it. */
export interface LiveText {
  user: string
  text: string
  /** The ID of the message, where a robot streams one into the history. */
  message?: string
}

type Writing = Pick<LiveText, 'user' | 'message'>

/** A user writes one text, and any number of messages that are streamed. */
const keyOf = ({ user, message }: Writing): string => (message === undefined ? `user ${user}` : `message ${message}`)

/** What members are writing now. An entry ends with their message, or when nothing more comes. */
export class LiveTexts {
  readonly #texts = createStore<readonly LiveText[]>([])
  readonly store: Store<readonly LiveText[]> = this.#texts
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #endsAfterMS: number

  constructor(endsAfterMS: number) {
    this.#endsAfterMS = endsAfterMS
  }

  /** @param text from the text so far */
  heard(writing: Writing, text: (soFar: string) => string): void {
    const texts = this.#texts.get()
    const key = keyOf(writing)
    const before = texts.find((live) => keyOf(live) === key)
    this.#texts.set(withReplaced(texts, before, { ...writing, text: text(before?.text ?? '') }))
    clearTimeout(this.#timers.get(key))
    this.#timers.set(
      key,
      setTimeout(() => this.end(writing), this.#endsAfterMS),
    )
  }

  end(writing: Writing): void {
    const key = keyOf(writing)
    clearTimeout(this.#timers.get(key))
    if (this.#timers.delete(key)) this.#texts.set(this.#texts.get().filter((live) => keyOf(live) !== key))
  }

  close(): void {
    for (const live of this.#texts.get()) this.end(live)
  }
}

/** Calls `emit` with the latest text, at most once in `everyMS`; `end` drops what has not gone out. */
export function throttledTyping(emit: (text: string) => void, everyMS = 2_000) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let pending: string | undefined
  function goOut(text: string): void {
    pending = undefined
    emit(text)
    timer = setTimeout(() => {
      timer = undefined
      if (pending !== undefined) goOut(pending)
    }, everyMS)
  }
  return {
    typed(text: string): void {
      if (timer === undefined) goOut(text)
      else pending = text
    },
    end(): void {
      clearTimeout(timer)
      timer = undefined
      pending = undefined
    },
  }
}
