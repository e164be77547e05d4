import type { Store } from '@parley/client'
import { createValue } from './value.ts'

export interface Notices {
  /** The sentence that is shown for a moment. */
  current: Store<string | undefined>
  show: (sentence: string) => void
}

const shownMS = 5_000

export function createNotices(): Notices {
  const current = createValue<string | undefined>(undefined)
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    current,
    show(sentence) {
      current.set(sentence)
      clearTimeout(timer)
      timer = setTimeout(() => current.set(undefined), shownMS)
    },
  }
}
