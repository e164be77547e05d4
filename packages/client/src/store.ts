/**
 * A value that changes, to render from: React's useSyncExternalStore takes `subscribe` and `get` as they are, Svelte takes
 * it as a store, a signal is set in a listener.
 */
export interface Store<T> {
  /** The value now: the same object until it changes. */
  get: () => T
  /** Calls the listener at once and after each change. Returns a function that ends it. */
  subscribe: (listener: (value: T) => void) => () => void
}

export interface WritableStore<T> extends Store<T> {
  set: (value: T) => void
}

export function createStore<T>(initial: T): WritableStore<T> {
  let current = initial
  const listeners = new Set<(value: T) => void>()
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return
      current = value
      for (const listener of [...listeners]) callListener(listener, value)
    },
    subscribe(listener) {
      // Subscribed twice, the same function is called twice.
      const own = (value: T) => listener(value)
      listeners.add(own)
      callListener(own, current)
      return () => void listeners.delete(own)
    },
  }
}

/** An error of one listener is reported as uncaught, and keeps nothing from the others. */
export function callListener<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** Runs `work` once, after the current task, however often it is called until then. */
export function oncePerTask(work: () => void): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    queueMicrotask(() => {
      isDue = false
      work()
    })
  }
}
