import type { Store } from '@parley/client'
import { createValue } from './value.ts'

export interface Notices {
  /** The notice shown for a moment. */
  current: Store<string | undefined>
  show: (sentence: string) => void
  /** The place that shows it: the latest one, such as the topmost dialog. A dialog makes everything outside inert. */
  place: Store<object | undefined>
  /** Makes a place the latest. Returns a function that removes it. */
  takePlace: (place: object) => () => void
}

const shownMS = 5_000

export function createNotices(): Notices {
  const current = createValue<string | undefined>(undefined)
  const place = createValue<object | undefined>(undefined)
  let places: readonly object[] = []
  const setPlaces = (now: readonly object[]) => {
    places = now
    place.set(now.at(-1))
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    current,
    place,
    takePlace(taken) {
      setPlaces([...places, taken])
      return () => setPlaces(places.filter((one) => one !== taken))
    },
    show(sentence) {
      current.set(sentence)
      clearTimeout(timer)
      timer = setTimeout(() => current.set(undefined), shownMS)
    },
  }
}
