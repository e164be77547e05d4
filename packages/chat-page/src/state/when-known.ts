import type { Client } from '@parley/client'

/** Resolves after the first login. */
export function whenKnown(client: Pick<Client, 'me'>): Promise<void> {
  return new Promise((resolve) => {
    const stop = client.me.subscribe((me) => {
      if (!me) return
      resolve()
      queueMicrotask(() => stop())
    })
  })
}
