import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { newSocketData, type UserSocket } from '../connections/session.ts'
import { withEmitLock } from './emit-lock.ts'

describe("ordering of a socket's emits", () => {
  const newSocket = () => ({ data: newSocketData() }) as UserSocket
  const nothing = () => new Promise<void>((resolve) => setImmediate(resolve))

  /** Emits that the test releases one by one; results in order. */
  function emits(socket: UserSocket) {
    const came: string[] = []
    const emit = (name: string, room = 'room') => {
      const ready = Promise.withResolvers<void>()
      const done = withEmitLock(socket, 'chat message', room, async (lock) => {
        await ready.promise
        const before = lock.wait()
        if (before) await before
        came.push(name)
        lock.release()
      })
      return { ready: ready.resolve, fail: () => ready.reject(new Error(name)), done }
    }
    return { came, emit }
  }

  test('keeps the order of a room, whichever is ready first; other rooms do not wait, and finished emits are forgotten', async () => {
    const socket = newSocket()
    const { came, emit } = emits(socket)
    const [first, second, third] = [emit('first'), emit('second'), emit('third')]
    const other = emit('other', 'another room')
    for (const { ready } of [third, second, other]) ready()
    await other.done
    assert.deepEqual(came, ['other'])
    first.ready()
    await Promise.all([first.done, second.done, third.done])
    assert.deepEqual(came, ['other', 'first', 'second', 'third'])
    const later = emit('later')
    later.ready()
    await later.done
    assert.equal(came.at(-1), 'later')
  })

  test('lets emits pass a failed one only once no other is before them', async () => {
    const { came, emit } = emits(newSocket())
    const [first, second, third] = [emit('first'), emit('second'), emit('third')]
    third.ready()
    second.fail()
    await assert.rejects(second.done, /second/)
    await nothing()
    assert.deepEqual(came, [])
    first.fail()
    await assert.rejects(first.done, /first/)
    await third.done
    assert.deepEqual(came, ['third'])
  })

  test('lets at most a hundred wait for earlier ones, over all rooms; emits without one before them never wait', async () => {
    const { came, emit } = emits(newSocket())
    const first = emit('first')
    const waiting = Array.from({ length: 100 }, (_, i) => emit(`waiting ${i}`))
    for (const { ready } of waiting) ready()
    const [one, more] = [emit('one'), emit('more')]
    more.ready()
    await assert.rejects(more.done, { code: 'TOO_MANY_REQUESTS' })
    const elsewhere = emit('elsewhere', 'another room')
    elsewhere.ready()
    await elsewhere.done
    first.ready()
    await Promise.all(waiting.map(({ done }) => done))
    one.ready()
    await one.done
    const row = Array.from({ length: 1_000 }, (_, i) => emit(`row ${i}`))
    for (const { ready } of row) ready()
    await Promise.all(row.map(({ done }) => done))
    assert.equal(came.length, 1 + 1 + 100 + 1 + 1_000)
  })
})
