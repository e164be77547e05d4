import type { Store } from '@parley/client'

/** A value of the page that parts of it render from. */
export function createValue<T>(initial: T): Store<T> & { set: (value: T) => void } {
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
