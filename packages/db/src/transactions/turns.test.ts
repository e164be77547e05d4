import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createTurns } from './turns.ts'

describe('turns', () => {
  test('of one key run one after the other in the order of arrival, of different keys side by side', async () => {
    const turns = createTurns()
    const said: string[] = []
    const gate = Promise.withResolvers<void>()
    const first = turns.take('a', async () => {
      said.push('a1 begins')
      await gate.promise
      said.push('a1 ends')
    })
    const more = ['a2', 'a3'].map((name) =>
      turns.take('a', async () => {
        said.push(name)
        return name
      }),
    )
    await turns.take('b', async () => said.push('b'))
    assert.deepEqual(said, ['a1 begins', 'b'])
    gate.resolve()
    assert.deepEqual(await Promise.all([first, ...more]), [undefined, 'a2', 'a3'])
    assert.deepEqual(said, ['a1 begins', 'b', 'a1 ends', 'a2', 'a3'])
  })

  test('of several keys at once wait for all of them, and whoever comes after waits for them', async () => {
    const turns = createTurns()
    const said: string[] = []
    const gate = Promise.withResolvers<void>()
    const begun = [
      turns.take('a', () => gate.promise.then(() => said.push('a'))),
      turns.takeAll(['b', 'a'], async () => said.push('b and a')),
      turns.takeAll(['a', 'b', 'c'], async () => said.push('all')),
      turns.take('b', async () => said.push('b')),
    ]
    await turns.take('d', async () => said.push('d'))
    assert.deepEqual(said, ['d'])
    gate.resolve()
    await Promise.all(begun)
    assert.deepEqual(said, ['d', 'a', 'b and a', 'all', 'b'])
  })

  test('work that fails rejects, and the next one goes on', async () => {
    const turns = createTurns()
    const failed = turns.take('a', () => Promise.reject(new Error('no')))
    const next = turns.take('a', async () => 'yes')
    await assert.rejects(failed, /no/)
    assert.equal(await next, 'yes')
  })
})
