import assert from 'node:assert/strict'
import type { FlushPoint } from '@parley/chat/send/flush-queue'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { insist, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

const points = ['inserted', 'counted', 'stored', 'pulled'] as const satisfies FlushPoint[]

describe('MongoDB is killed (-9) between two steps of a flush, and is back before the next', () => {
  let servers: Servers
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  /** Runs when the flush reaches a point; the flush waits for it. */
  let at: { point: FlushPoint; act: () => Promise<void> } | undefined

  beforeAll(async () => {
    servers = await isolatedServers(['mongo'])
    gateway = await startTestGateway({
      servers,
      atPoint: async (point) => {
        if (point !== at?.point) return
        const { act } = at
        at = undefined
        await act()
      },
    })
    alice = await gateway.newUser('alice')
    bob = await gateway.newUser('bob')
  })
  afterAll(async () => {
    await gateway?.stop()
    await servers?.stop()
  })

  for (const [point, size] of points.flatMap((each) => [[each, 1] as const, [each, 10_000] as const])) {
    test(`after "${point}", with texts of ${size} characters: messages, badges and idempotency keys stay exact`, async () => {
      const room = await gateway.newRoom([alice, bob])
      const killed = Promise.withResolvers<void>()
      at = {
        point,
        act: async () => {
          await servers.mongo.kill()
          await servers.mongo.restart()
          killed.resolve()
        },
      }
      const send = (clientMessageID: string) => {
        const draft = { room, sender: 'alice', message: 'x'.repeat(size), messageType: 'text', clientMessageID }
        // Sends in flight at the kill can time out.
        return insist(() => gateway.admin('POST', '/messages', draft))
      }
      const sent = await Promise.all(Array.from({ length: 20 }, (_, i) => send(`${point} ${i}`)))
      await killed.promise
      await gateway.chat.flusher.drained()

      const { data } = (await bob.call('GET', `/rooms/${room}/messages/v3?limit=500`)).body.result
      const ids = sent.map(({ body }): string => body.result._id)
      const stored = new Set(data.map(({ _id }: { _id: string }) => _id))
      assert.deepEqual([data.length, stored], [20, new Set(ids)])
      const unread = async (user: TestUser) => (await user.call('GET', `/rooms/${room}`)).body.result.unread
      assert.deepEqual([await unread(alice), await unread(bob)], [0, 20])
      const again = await Promise.all(ids.map((_, i) => send(`${point} ${i}`)))
      assert.deepEqual(
        again.map(({ body }) => body.result._id),
        ids,
      )
    })
  }
})
