import assert from 'node:assert/strict'
import { ApiError } from '@parley/contracts/errors'
import { describe, test } from 'vitest'
import { forKeys, limitPerApp } from './limit-per-app.ts'

/** Work that ends when `end` is called. */
function works() {
  const begun: { who: string; end: () => void }[] = []
  const state = { max: 0, inFlight: 0 }
  const work = (who: string) => async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    begun.push({ who, end: resolve })
    state.max = Math.max(state.max, ++state.inFlight)
    await promise
    state.inFlight--
    return who
  }
  return { begun, state, work }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const isRefused = (error: unknown) => error instanceof ApiError && error.code === 'TOO_MANY_REQUESTS'

describe('a limit per app', () => {
  test('an app stays within its concurrency without delaying other apps, and work runs in order', async () => {
    const limited = limitPerApp('tests', { ...forKeys(2), inAll: 10, waiting: 100, waitMS: 60_000 })
    const { begun, state, work } = works()
    const done = Array.from({ length: 6 }, (_, i) => limited({ app: 'a' }, work(`a${i}`)))
    const other = limited({ app: 'b' }, work('b'))
    await turn()
    assert.deepEqual(
      begun.map(({ who }) => who),
      ['a0', 'a1', 'b'],
    )
    for (let i = 0; i < 7; i++) {
      begun[i]?.end()
      await turn()
    }
    assert.deepEqual(await Promise.all([...done, other]), ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b'])
    assert.equal(state.max, 3)
  })

  test('a process stays within its concurrency', async () => {
    const limited = limitPerApp('tests', { ...forKeys(2), inAll: 3, waiting: 100, waitMS: 60_000 })
    const { begun, state, work } = works()
    const done = ['a', 'a', 'b', 'b', 'c'].map((app) => limited({ app }, work(app)))
    for (let i = 0; i < 5; i++) {
      await turn()
      assert.ok(begun.length <= i + 3)
      begun[i]?.end()
    }
    await Promise.all(done)
    assert.equal(state.max, 3)
  })

  test('work that waits too long or finds the queue full is refused, never runs, and frees its place', async () => {
    const limited = limitPerApp('tests', { ...forKeys(1), inAll: 1, waiting: 1, waitMS: 20 })
    const { begun, work } = works()
    const first = limited({ app: 'a' }, work('first'))
    const refused = [
      limited({ app: 'a' }, work('second')),
      limited({ app: 'a' }, work('third')),
      limited({ app: 'b' }, work('b')),
    ]
    await Promise.all(refused.map((waiting) => assert.rejects(waiting, isRefused)))
    begun[0]?.end()
    assert.equal(await first, 'first', 'running work is not affected')
    const fourth = limited({ app: 'a' }, work('fourth'))
    begun[1]?.end()
    assert.equal(await fourth, 'fourth')
    assert.deepEqual(
      begun.map(({ who }) => who),
      ['first', 'fourth'],
    )
  })

  test('work with a free slot runs even if no queue is allowed', async () => {
    const limited = limitPerApp('tests', { ...forKeys(1), inAll: 1, waiting: 0, waitMS: 60_000 })
    const { begun, work } = works()
    const first = limited({ app: 'a' }, work('first'))
    await assert.rejects(limited({ app: 'a' }, work('second')), isRefused)
    begun[0]?.end()
    assert.equal(await first, 'first')
  })

  test('work that fails frees its slot', async () => {
    const limited = limitPerApp('tests', { ...forKeys(1), inAll: 1, waiting: 10, waitMS: 60_000 })
    await assert.rejects(
      limited({ app: 'a' }, () => Promise.reject(new Error('away'))),
      /away/,
    )
    assert.equal(await limited({ app: 'a' }, () => Promise.resolve(7)), 7)
  })

  test('users of an app take turns: a busy user leaves slots for others, and is refused beyond their own queue', async () => {
    const limits = { perUser: 2, perApp: 3, inAll: 10, waitingPerUser: 4, waiting: 100, waitMS: 60_000 }
    const limited = limitPerApp('tests', limits)
    const { begun, work } = works()
    const app = 'a'
    const done = Array.from({ length: 6 }, (_, i) => limited({ app, user: 'greedy' }, work(`greedy ${i}`)))
    await assert.rejects(limited({ app, user: 'greedy' }, work('one too many')), isRefused)
    await turn()
    done.push(...['bob', 'carol'].map((user) => limited({ app, user }, work(user))))
    await turn()
    assert.deepEqual(
      begun.map(({ who }) => who),
      ['greedy 0', 'greedy 1', 'bob'],
    )
    for (let i = 0; i < 8; i++) {
      begun[i]?.end()
      await turn()
    }
    await Promise.all(done)
    assert.equal(begun[3]?.who, 'carol', 'before the remaining work of the greedy user')
  })
})
