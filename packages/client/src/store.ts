/**
 * A changing value to render from. React's useSyncExternalStore takes its `subscribe` and `get`, Svelte takes it as a
 * store, and a listener can set a signal.
 */
export interface Store<T> {
  /** The current value: the same object until it changes. */
  get: () => T
  /** Calls the listener at once and after each change. Returns an unsubscribe function. */
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
      // A function subscribed twice is called twice.
      const own = (value: T) => listener(value)
      listeners.add(own)
      callListener(own, current)
      return () => void listeners.delete(own)
    },
  }
}

/** Calls a listener. Its error is reported as uncaught, so that the other listeners still run. */
export function callListener<T>(listener: (value: T) => void, value: T): void {
  try {
    listener(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}

/** Batches calls: runs `work` once in a microtask, however often it is called before. */
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
