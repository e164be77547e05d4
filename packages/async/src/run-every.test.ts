import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { runEvery, startRunning } from './run-every.ts'

const unexpected = (error: Error) => assert.fail(error)

describe('work at intervals', () => {
  test('begins at once, repeats, and never overlaps itself', async () => {
    const stopping = new AbortController()
    const state = { runs: 0, now: 0, max: 0 }
    const work = async () => {
      state.runs++
      state.max = Math.max(state.max, ++state.now)
      await new Promise((resolve) => setImmediate(resolve))
      state.now--
      if (state.runs === 5) stopping.abort()
    }
    const running = runEvery(0, work, { onError: unexpected, signal: stopping.signal })
    assert.equal(state.runs, 1, 'at once')
    await running
    assert.deepEqual(state, { runs: 5, now: 0, max: 1 })
  })

  test('reports an error and continues', async () => {
    const stopping = new AbortController()
    const errors: string[] = []
    let runs = 0
    const work = () => {
      if (++runs === 3) stopping.abort()
      else throw new Error(`run ${runs}`)
    }
    await runEvery(0, work, { onError: ({ message }) => errors.push(message), signal: stopping.signal })
    assert.deepEqual(errors, ['run 1', 'run 2'])
  })

  test('stops at once between runs, and does nothing if already stopped', async () => {
    let runs = 0
    const count = () => runs++
    const running = startRunning(3_600_000, count, unexpected)
    await new Promise((resolve) => setImmediate(resolve))
    await running.stop()
    assert.equal(runs, 1)
    await runEvery(0, count, { onError: unexpected, signal: AbortSignal.abort() })
    assert.equal(runs, 1)
  })

  test('stop waits for the current run', async () => {
    const work = Promise.withResolvers<void>()
    const running = startRunning(0, () => work.promise, unexpected)
    let stopped = false
    const stopping = running.stop()
    void stopping.finally(() => {
      stopped = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(stopped, false)
    work.resolve()
    await stopping
    assert.equal(stopped, true)
  })
})
