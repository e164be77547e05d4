import assert from 'node:assert/strict'
import { eraseNextRoom } from '@parley/chat/messages/changing/erase-messages'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { insist, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

interface Message {
  _id: string
  updatedAtMS: number
  createdAtMS: number
  isDeleted: boolean
}

/** A writer's next step: a burst of sends, or a change of an earlier message, that many back. */
type Step = { do: 'send'; count: number } | { do: 'edit' | 'react' | 'delete'; back: number } | { do: 'delete all' }

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('send' as const), count: fc.integer({ min: 1, max: 25 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constantFrom('edit', 'react', 'delete'), back: fc.integer({ min: 0, max: 40 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'delete all' as const }) },
)
const histories = fc.record({
  before: fc.integer({ min: 1, max: 150 }),
  limits: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
  writers: fc.array(fc.array(steps, { minLength: 2, maxLength: 10 }), { minLength: 2, maxLength: 3 }),
})

/**
 * Walks by documented parameters alone, while several gateways send, edit, react and delete in the room
 * (docs/reference/messages.md#history). A reader that continues from the time of each page's last element must get every
 * message in its final state.
 */
describe('paging through a changing history', { timeout: 600_000 }, () => {
  let gateways: TestGateway[]
  let alice: TestUser
  let bob: TestUser

  beforeAll(async () => {
    const first = await startTestGateway()
    gateways = [first, await first.another(), await first.another()]
    alice = await first.newUser('alice')
    bob = await first.newUser('bob')
  })
  afterAll(async () => {
    for (const gateway of gateways.toReversed()) await gateway.stop()
  })
  const via = (i: number): TestGateway => gateways[i % gateways.length] as TestGateway

  const page = async (room: string, query: Record<string, string | number>): Promise<Message[]> => {
    const search = new URLSearchParams(query as Record<string, string>).toString()
    return (await bob.call('GET', `/rooms/${room}/messages/v3?${search}`)).body.result.data
  }

  /** Sends from all gateways at once, so that many messages share a time. */
  const send = async (room: string, count: number, from = 0): Promise<string[]> => {
    const message = { room, sender: alice.id, message: 'x', messageType: 'text', push: false }
    const sent = Array.from({ length: count }, (_, i) =>
      insist(() => via(from + i).admin('POST', '/messages', message)),
    )
    return (await Promise.all(sent)).map(({ body }) => body.result._id)
  }

  async function write(room: string, writer: number, todo: readonly Step[], known: string[]): Promise<void> {
    for (const step of todo) {
      if (step.do === 'send') {
        known.push(...(await send(room, step.count, writer)))
      } else if (step.do === 'delete all') {
        await via(writer).admin('DELETE', `/rooms/${room}/messages/_all`)
      } else {
        const _id = known.at(-1 - step.back) ?? known[0] ?? ''
        const edit = { _id, sender: alice.id, message: `edited by ${writer}` }
        if (step.do === 'edit') await via(writer).admin('POST', `/rooms/${room}/message`, edit)
        if (step.do === 'react') await bob.call('POST', `/messages/${_id}/reaction`, { reaction: `r${writer}` })
        if (step.do === 'delete') await via(writer).admin('DELETE', `/rooms/${room}/messages/${_id}`)
      }
    }
  }

  /** Runs the gateways' background work until all writers are done and nothing is left to erase. */
  async function erase(room: string, writing: { on: boolean }): Promise<void> {
    const erasing = { _id: key(via(0).app, room), erasing: { $exists: true } }
    for (let isLast = false; !isLast; ) {
      isLast = !writing.on
      const { db } = via(0).chat
      while ((await db.rooms.updateOne(erasing, { $set: { 'erasing.leaseUntilMS': 0 } })).matchedCount > 0) {
        await eraseNextRoom(via(0).chat, new AbortController().signal)
      }
    }
  }

  type Order = 'updatedAtMS' | 'createdAtMS'

  /** Continues from the time of the last element until a page is empty and all writers are done. */
  async function walkForward(room: string, limits: readonly number[], order: Order, writing: { on: boolean }) {
    const timeRangeField = order === 'createdAtMS' ? 'createdAt' : 'updatedAt'
    const seen: Message[] = []
    for (let i = 0, isLast = false; ; i++) {
      const isOver = !writing.on
      const limit = limits[i % limits.length] ?? 1
      const found = await page(room, { afterTime: seen.at(-1)?.[order] ?? 0, limit, timeRangeField })
      assert.ok(found.length < limit + 100)
      if (found.length === 0 && isLast) return seen
      isLast = isOver
      seen.push(...found)
    }
  }

  /** Continues from the last element, in the order of creation, which no edit changes. */
  async function walkBack(room: string, limit: number): Promise<Message[]> {
    const seen: Message[] = []
    for (;;) {
      const last = seen.at(-1)
      const found = await page(room, { limit, timeRangeField: 'createdAt', ...(last && { beforeMessage: last._id }) })
      if (found.length === 0) return seen
      seen.push(...found)
    }
  }

  test('has no gaps', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ before, limits, writers }) => {
        const room = await via(0).newRoom([alice, bob])
        const known = await send(room, before)
        const writing = { on: true }
        const written = Promise.all(writers.map((todo, i) => write(room, i, todo, known)))
        const erased = erase(room, writing)
        const over = { on: true }
        const walks = Promise.all([
          walkForward(room, limits, 'updatedAtMS', over),
          walkForward(room, limits, 'createdAtMS', over),
          walkBack(room, limits[0] ?? 1),
        ])
        await written
        writing.on = false
        await erased
        over.on = false
        const [updated, created, back] = await walks

        await Promise.all(gateways.map(({ chat }) => chat.flusher.drained()))
        const stored = await findAllMessages(via(0).chat.db, { roomKey: key(via(0).app, room) })
        const met = new Map(updated.map((message) => [message._id, message]))
        for (const { _id, updatedAtMS, isDeleted = false } of stored) {
          assert.deepEqual([met.get(_id)?.updatedAtMS, met.get(_id)?.isDeleted], [updatedAtMS, isDeleted], _id)
        }
        const places = updated.map(({ updatedAtMS, _id }) => `${updatedAtMS} ${_id}`)
        assert.deepEqual(places, places.toSorted(), 'in order')
        assert.equal(new Set(places).size, places.length, 'no place twice')
        assert.deepEqual(new Set(created.map(({ _id }) => _id)), new Set(stored.map(({ _id }) => _id)))
        assert.equal(created.length, stored.length, 'no message twice')
        const backIds = new Set(back.map(({ _id }) => _id))
        for (const _id of known.slice(0, before)) assert.ok(backIds.has(_id), 'what was there at the beginning was met')
        assert.equal(backIds.size, back.length, 'no message twice')
        for (const order of ['updatedAtMS', 'createdAtMS'] as const) {
          const times = Map.groupBy(stored, (message) => message[order])
          assert.ok([...times.values()].every(({ length }) => length <= 100))
        }
      }),
      { numRuns: 5, endOnFailure: true },
    )
  })
})
