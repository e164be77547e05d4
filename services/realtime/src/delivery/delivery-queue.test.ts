import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import type { IncomingEvent } from '@parley/bus/events/incoming'
import * as fc from 'fast-check'
import { afterEach, describe, test, vi } from 'vitest'
import { createDeliveryQueue } from './delivery-queue.ts'
import { topicOf } from './topics.ts'

const event = (id: string, room = 'r'): IncomingEvent => ({
  to: { app: 'a', room },
  event: 'room',
  id,
  data: new Uint8Array(),
})

describe('the delivery queue', () => {
  test('delivers nothing while it is held, even when drained, and then everything in order', async () => {
    const delivered: (string | undefined)[] = []
    const queue = createDeliveryQueue(({ id }) => delivered.push(id))
    queue.add(event('before'))
    queue.hold()
    assert.deepEqual(delivered, ['before'])
    queue.add(event('first'))
    await setImmediate()
    queue.add(event('second'))
    queue.drain()
    await setImmediate()
    assert.deepEqual(delivered, ['before'])
    queue.release()
    assert.deepEqual(delivered, ['before', 'first', 'second'])
  })

  test('forgets the events of a room that the last socket has left, also while it is held', () => {
    const delivered: (string | undefined)[] = []
    const queue = createDeliveryQueue(({ id }) => delivered.push(id))
    queue.hold()
    queue.add(event('left', 'r'))
    queue.add(event('other', 's'))
    queue.forget(topicOf({ app: 'a', room: 'r' }))
    queue.add(event('joined', 'r'))
    queue.release()
    assert.deepEqual(delivered, ['other', 'joined'])
  })

  test('finishes an event before the next, also if its delivery drains the queue', () => {
    const steps: string[] = []
    const queue = createDeliveryQueue(({ id }) => {
      steps.push(`${id} begins`)
      queue.drain()
      steps.push(`${id} ends`)
    })
    queue.add(event('first'))
    queue.add(event('second'))
    queue.drain()
    assert.deepEqual(steps, ['first begins', 'first ends', 'second begins', 'second ends'])
  })

  describe('with fake timers', () => {
    afterEach(() => {
      vi.useRealTimers()
    })

    test('delivers a few events of a turn together, at its end; the rest of a burst comes later', async () => {
      vi.useFakeTimers()
      const delivered: (string | undefined)[] = []
      const queue = createDeliveryQueue(({ id }) => delivered.push(id))
      for (let i = 0; i < 15; i++) queue.add(event(`few ${i}`))
      assert.deepEqual(delivered, [])
      await vi.advanceTimersByTimeAsync(0)
      assert.equal(delivered.length, 15)

      for (let i = 0; i < 16; i++) queue.add(event(`burst ${i}`))
      await vi.advanceTimersByTimeAsync(2)
      queue.add(event('its rest'))
      assert.equal(delivered.length, 15)
      await vi.advanceTimersByTimeAsync(2)
      assert.equal(delivered.length, 32)
      assert.equal(delivered.at(-1), 'its rest')
    })

    test('delivers each event once, in order, never while it is held, and all of them in the end', async () => {
      vi.useFakeTimers()
      const act = fc.constantFrom('add', 'add', 'add', 'drain', 'hold', 'release', 'turn', 'wait')
      const acts = fc.array(act, { maxLength: 100 })
      await fc.assert(
        fc.asyncProperty(acts, async (given) => {
          const delivered: string[] = []
          let [added, isHeld] = [0, false]
          const queue = createDeliveryQueue(({ id = '' }) => {
            assert.equal(isHeld, false)
            delivered.push(id)
          })
          for (const each of given) {
            if (each === 'add') queue.add(event(String(added++)))
            if (each === 'drain') queue.drain()
            if (each === 'hold') queue.hold()
            if (each === 'hold') isHeld = true
            if (each === 'release') isHeld = false
            if (each === 'release') queue.release()
            if (each === 'turn') await vi.advanceTimersByTimeAsync(0)
            if (each === 'wait') await vi.advanceTimersByTimeAsync(10)
            if (each === 'drain' && !isHeld) assert.equal(delivered.length, added)
          }
          isHeld = false
          queue.release()
          assert.deepEqual(
            delivered,
            Array.from({ length: added }, (_, i) => String(i)),
          )
        }),
      )
    })
  })
})
