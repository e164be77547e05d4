import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { KeyedMutex } from './keyed-mutex.ts'

describe('a keyed mutex', () => {
  test('runs work of one key in order of arrival, work of different keys concurrently', async () => {
    const mutex = new KeyedMutex()
    const said: string[] = []
    const gate = Promise.withResolvers<void>()
    const first = mutex.run(['a'], async () => {
      said.push('a1 begins')
      await gate.promise
      said.push('a1 ends')
    })
    const more = ['a2', 'a3'].map((name) =>
      mutex.run(['a'], async () => {
        said.push(name)
        return name
      }),
    )
    await mutex.run(['b'], async () => said.push('b'))
    assert.deepEqual(said, ['a1 begins', 'b'])
    assert.equal(mutex.waiting, 2)
    gate.resolve()
    assert.deepEqual(await Promise.all([first, ...more]), [undefined, 'a2', 'a3'])
    assert.deepEqual(said, ['a1 begins', 'b', 'a1 ends', 'a2', 'a3'])
    assert.equal(mutex.waiting, 0)
  })

  test('waits for all of several keys, and makes later work wait', async () => {
    const mutex = new KeyedMutex()
    const said: string[] = []
    const gate = Promise.withResolvers<void>()
    const begun = [
      mutex.run(['a'], () => gate.promise.then(() => said.push('a'))),
      mutex.run(['b', 'a'], async () => said.push('b and a')),
      mutex.run(['a', 'b', 'c', 'c'], async () => said.push('all')),
      mutex.run(['b'], async () => said.push('b')),
    ]
    await mutex.run(['d'], async () => said.push('d'))
    assert.deepEqual(said, ['d'])
    gate.resolve()
    await Promise.all(begun)
    assert.deepEqual(said, ['d', 'a', 'b and a', 'all', 'b'])
  })

  test('runs the next work after a failure', async () => {
    const mutex = new KeyedMutex()
    const failed = mutex.run(['a'], () => Promise.reject(new Error('no')))
    const next = mutex.run(['a'], async () => 'yes')
    await assert.rejects(failed, /no/)
    assert.equal(await next, 'yes')
  })

  test('keeps the order of locks that are released early', async () => {
    const mutex = new KeyedMutex()
    const [first, second, third] = [mutex.lock('a'), mutex.lock('a'), mutex.lock('a')]
    second.release()
    const waiting = third.wait()
    assert.equal(third.isReady, false)
    assert.equal(mutex.waiting, 1)
    first.release()
    await waiting
    assert.equal(third.isReady, true)
    third.release()
    third.release()
    assert.equal(mutex.locksOf('a'), 0)
    assert.equal(mutex.lock('a').isReady, true)
  })
})
