import { createStore, type Store } from '../store.ts'

/** A member who is writing, and the text so far, as far as their app shows it. */
export interface LiveText {
  user: string
  text: string
}

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
  heard(user: string, text: (soFar: string) => string): void {
    const texts = this.#texts.get()
    const soFar = texts.find((live) => live.user === user)
    const next = { user, text: text(soFar?.text ?? '') }
    this.#texts.set(soFar ? texts.map((live) => (live === soFar ? next : live)) : [...texts, next])
    clearTimeout(this.#timers.get(user))
    this.#timers.set(
      user,
      setTimeout(() => this.end(user), this.#endsAfterMS),
    )
  }

  end(user: string): void {
    clearTimeout(this.#timers.get(user))
    if (this.#timers.delete(user)) this.#texts.set(this.#texts.get().filter((live) => live.user !== user))
  }

  close(): void {
    for (const user of [...this.#timers.keys()]) this.end(user)
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
