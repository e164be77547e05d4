import type { Store } from '@parley/client'

export type Value<T> = Store<T> & { set: (value: T) => void }

/** Creates an observable value. Unlike the client's stores, `subscribe` does not call the listener at once. */
export function createValue<T>(initial: T): Value<T> {
  let current = initial
  const listeners = new Set<(value: T) => void>()
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const listener of [...listeners]) listener(value)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
