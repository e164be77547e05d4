import assert from 'node:assert/strict'
import { describe, test, vi } from 'vitest'
import type { Session, UserSocket } from '../connections/session.ts'
import { type WatchPresenceParts, watchPresence } from './watch-presence.ts'

describe('while rights cannot be read', () => {
  /** Alice watches bob, who is offline. Nothing more is read until the database is back. */
  async function watch() {
    const session = { app: 'app', user: 'alice' } as Session
    const socket = { connected: true, data: { session } } as unknown as UserSocket
    const connected = new Set<string>()
    let looks = 0
    const redis = {
      async zrange() {
        looks++
        return ['node']
      },
      hmget: async (_key: string, ...fields: string[]) =>
        fields.map((field, i) => (i === 0 || [...connected].some((user) => field.includes(user)) ? '["phone"]' : null)),
    }
    const bob = { isShown: true }
    const database = Promise.withResolvers<void>()
    let reads = 0
    const presence = async () => {
      if (reads++ > 0) await database.promise
      return new Map([['bob', { ...bob }]])
    }
    const heard: unknown[] = []
    const watching = watchPresence({
      bus: { connected: false, whenReached: () => undefined },
      log: { warn: assert.fail },
      chat: { limits: { presence }, control: { nodes: () => [] } },
      presence: { redis },
      socketsOf: () => [],
      server: () => ({ sendTo: (_: unknown, __: string, json: string) => void heard.push(JSON.parse(json)) }),
    } as unknown as WatchPresenceParts)
    assert.partialDeepStrictEqual(await watching.subscribe(socket, session, ['bob']), [
      { client: 'bob', state: 'offline' },
    ])
    const isReading = () => vi.waitUntil(() => reads === 2, { timeout: 100_000 })
    const areLookedAt = async () => {
      const before = looks
      // When the next round begins, the result of the last one has been sent.
      await vi.waitUntil(() => looks > before + 1, { timeout: 100_000 })
    }
    return { watching, connected, bob, database, heard, isReading, areLookedAt }
  }

  test('a user who connects is seen', async () => {
    const { watching, connected, database, heard, isReading } = await watch()
    watching.busIsBack()
    await isReading()
    connected.add('bob')
    await vi.waitUntil(() => heard.length > 0, { timeout: 30_000 })
    assert.partialDeepStrictEqual(heard, [{ clients: [{ client: 'bob', state: 'online' }] }])
    database.resolve()
    await watching.stop()
  })

  test('users with a pending change stay hidden, since they may have chosen to hide', async () => {
    const { watching, connected, bob, database, heard, isReading, areLookedAt } = await watch()
    watching.moved('app', ['bob'])
    await isReading()
    connected.add('bob')
    await areLookedAt()
    assert.deepEqual(heard, [])
    bob.isShown = false
    database.resolve()
    await areLookedAt()
    await watching.stop()
    assert.deepEqual(heard, [])
  })
})
