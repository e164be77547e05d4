import type { Client, Store } from '@parley/client'

/** Resolves once the store's value fits. */
export function when<T>(store: Store<T>, fits: (value: T) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = store.subscribe((value) => {
      if (!fits(value)) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
}

/** Resolves after the first login. */
export const whenKnown = ({ me }: Pick<Client, 'me'>): Promise<void> => when(me, (user) => user !== undefined)
