import { createStore, type Store } from '../store.ts'
import { withReplaced } from '../with-replaced.ts'

/** A typing member, with the text so far if their app shares it. */
export interface LiveText {
  user: string
  text: string
  /** The message's ID, if a robot streams it into the history. */
  message?: string
}

type Writing = Pick<LiveText, 'user' | 'message'>

/** A user types one text, but may stream several messages. */
const keyOf = ({ user, message }: Writing): string => (message === undefined ? `user ${user}` : `message ${message}`)

export interface LiveTexts {
  store: Store<readonly LiveText[]>
  /** @param text derives the text from the text so far */
  heard: (writing: Writing, text: (soFar: string) => string) => void
  end: (writing: Writing) => void
  close: () => void
}

/** Texts that members are writing. An entry ends with its message, or after silence. */
export function createLiveTexts(endsAfterMS: number): LiveTexts {
  const store = createStore<readonly LiveText[]>([])
  const timers = new Map<string, ReturnType<typeof setTimeout>>()

  function end(writing: Writing): void {
    const key = keyOf(writing)
    clearTimeout(timers.get(key))
    if (timers.delete(key)) store.set(store.get().filter((live) => keyOf(live) !== key))
  }

  return {
    ...{ store, end },
    heard(writing, text) {
      const texts = store.get()
      const key = keyOf(writing)
      const before = texts.find((live) => keyOf(live) === key)
      store.set(withReplaced(texts, before, { ...writing, text: text(before?.text ?? '') }))
      clearTimeout(timers.get(key))
      timers.set(
        key,
        setTimeout(() => end(writing), endsAfterMS),
      )
    },
    close() {
      for (const live of store.get()) end(live)
    },
  }
}

const typingEveryMS = 2_000
/** Parley refuses longer texts, and closes a connection that sends far longer ones. */
const mostTyped = 4_096

/** Emits the latest text at most once per `typingEveryMS`, a cleared one at once. `end` drops the unsent text. */
export function throttledTyping(emit: (text: string) => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let pending: string | undefined
  let isShown = false
  function emitNow(text: string): void {
    pending = undefined
    isShown = true
    emit(text.slice(0, mostTyped))
    timer = setTimeout(() => {
      timer = undefined
      if (pending !== undefined) emitNow(pending)
    }, typingEveryMS)
  }
  return {
    typed(text: string): void {
      if (text !== '') {
        if (timer === undefined) emitNow(text)
        else pending = text
        return
      }
      pending = undefined
      if (isShown) emit('')
      isShown = false
    },
    end(): void {
      clearTimeout(timer)
      timer = undefined
      pending = undefined
      isShown = false
    },
  }
}
