import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createSharedWatches } from './shared-watches.ts'

test('a subscription that is running when its tab closes ends with the tab', async () => {
  const emitted: [string, unknown][] = []
  const isAnswered = Promise.withResolvers<void>()
  const watches = createSharedWatches(async (event, payload) => {
    emitted.push([event, payload])
    await isAnswered.promise
    return { clients: (payload as { clients: string[] }).clients.map((client) => ({ client })) }
  })
  const subscribed = watches.subscribe('closing', { clients: ['bob', 'carl'] })
  const shared = watches.subscribe('staying', { clients: ['carl'] })
  watches.gone('closing')
  isAnswered.resolve()
  await Promise.all([subscribed, shared])
  await watches.unsubscribe('staying', { clients: ['carl'] })
  const unsubscribed = emitted.filter(([event]) => event === 'presence unsubscribe').map(([, payload]) => payload)
  assert.deepEqual(unsubscribed, [{ clients: ['bob'] }, { clients: ['carl'] }])
})
