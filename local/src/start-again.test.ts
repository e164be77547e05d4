import assert from 'node:assert/strict'
import { test } from 'vitest'
import { startAgain } from './start-again.ts'

/** A process that dies on request, with the recorded backoffs and outcome. */
function dying(steadyMS: number) {
  const seen = { starts: 0, pauses: [] as (string | undefined)[], givenUp: [] as string[] }
  const ending = new AbortController()
  const onDeath = startAgain(
    {
      name: 'stats-1',
      start: async () => void seen.starts++,
      say: (line) => {
        const pause = /again in ([\d.]+) s$/.exec(line)?.[1]
        if (pause !== undefined) seen.pauses.push(pause)
      },
      giveUp: (sentence) => void seen.givenUp.push(sentence),
      signal: ending.signal,
    },
    { steadyMS, firstPauseMS: 1 },
  )
  return { seen, ending, die: () => onDeath('stats-1 was ended.') }
}

test('a process that keeps dying is restarted with doubling backoff and given up at the sixth death', async () => {
  const { seen, die } = dying(Infinity)
  for (let death = 1; death <= 6; death++) await die()
  assert.deepEqual(seen.pauses, ['0.001', '0.002', '0.004', '0.008', '0.016'])
  assert.equal(seen.starts, 5)
  assert.deepEqual(seen.givenUp, ['stats-1 was ended.\nstats-1 died 6 times in a row and is not restarted.'])
})

test('a process that lives long enough between deaths is always restarted with the shortest backoff', async () => {
  const { seen, die } = dying(-1)
  for (let death = 1; death <= 20; death++) await die()
  assert.deepEqual(new Set(seen.pauses), new Set(['0.001']))
  assert.deepEqual([seen.starts, seen.givenUp], [20, []])
})

test('a failed start counts as a death', async () => {
  const givenUp: string[] = []
  const keeping = { say: () => undefined, giveUp: (sentence: string) => void givenUp.push(sentence) }
  const start = () => Promise.reject(new Error('stats-1 stopped with exit code 1: no database.'))
  const { signal } = new AbortController()
  const onDeath = startAgain({ name: 'stats-1', start, signal, ...keeping }, { steadyMS: Infinity, firstPauseMS: 1 })
  await onDeath('stats-1 was ended by SIGKILL.')
  assert.match(givenUp[0] ?? '', /^stats-1 stopped with exit code 1: no database\.\n/)
})

test('nothing is restarted during shutdown, even after a backoff that has begun', async () => {
  const { seen, ending, die } = dying(Infinity)
  const death = die()
  ending.abort()
  await death
  await die()
  assert.deepEqual([seen.starts, seen.givenUp], [0, []])
})
