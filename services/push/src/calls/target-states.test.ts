import assert from 'node:assert/strict'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { afterEach, beforeEach, describe, test, vi } from 'vitest'
import type { CallOutcome } from './outgoing-call.ts'
import { createTargetStates, maxPerTarget, type TargetStates } from './target-states.ts'

const lastTry = { atMS: 0, durationMS: 1 }
const unreached: CallOutcome = { as: 'again', reason: 'ECONNREFUSED', isUnreached: true, lastTry }
const answered: CallOutcome = { as: 'again', reason: '503', lastTry: { ...lastTry, status: 503 } }
const done: CallOutcome = { as: 'done', answer: '', lastTry }

describe('calls to a server that is down', () => {
  const target = 'push http://dead'
  let states: TargetStates
  let probes: number
  let downs: number[]
  beforeEach(() => {
    vi.useFakeTimers()
    probes = 0
    downs = []
    states = createTargetStates(
      (_target, _reason, pauses) => downs.push(pauses),
      () => probes++,
    )
  })
  afterEach(() => vi.useRealTimers())

  const tried = (outcome: CallOutcome, queue = 'one', kind: OutgoingCallDoc['kind'] = 'push') =>
    states.tried({ target, queue, kind }, outcome)

  test('share one attempt after each pause, of at most 30 s, until one succeeds', () => {
    assert.equal(states.max(target), maxPerTarget)
    for (let pauses = 1; pauses <= 20; pauses++) {
      tried(unreached)
      // Attempts that began earlier end during the pause.
      tried(unreached, 'two')
      assert.equal(states.max(target), 0)
      assert.equal(states.max('push http://other'), maxPerTarget)
      assert.equal(downs.length, pauses)
      vi.advanceTimersByTime(30_000)
      assert.equal(probes, pauses)
      assert.equal(states.max(target), 1)
    }
    tried(done)
    assert.equal(states.max(target), maxPerTarget)
  })

  test('are not resumed by a call that was dropped without an attempt', () => {
    tried(unreached)
    vi.advanceTimersByTime(30_000)
    tried({ as: 'done', answer: '', notMade: 'no recipients left' }, 'two')
    tried({ as: 'refused', reason: 'no such app' }, 'three')
    assert.equal(states.max(target), 1)
  })

  test('to PUSH_GENERIC share attempts also if it answers with errors, unless the same push fails alone', () => {
    for (let tries = 0; tries < 10; tries++) tried(answered)
    assert.equal(states.max(target), 2)
    for (const queue of ['two', 'three']) tried(answered, queue)
    assert.equal(states.max(target), 0)
  })

  test('that answers webhooks with errors are made, since each room has its own webhook', () => {
    for (let room = 0; room < 10; room++) tried(answered, `room ${room}`, 'webhook')
    assert.equal(states.max(target), 2)
  })
})
