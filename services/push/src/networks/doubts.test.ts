import assert from 'node:assert/strict'
import type { PushDoc } from '@parley/db/push/documents'
import { test } from 'vitest'
import { createDoubts } from './doubts.ts'

test('an app is stopped when tokens of ten users are doubtful, not by many tokens of one user', () => {
  const nothing = () => undefined
  const parts = { metrics: { stoppedApps: { set: nothing } }, log: { error: nothing, info: nothing } }
  const doubts = createDoubts({ name: 'web', probeMS: 1_000, ...parts } as never, nothing)
  const doubt = (user: string, n: number) => {
    const push = { app: 'app', user, token: `${user} ${n}` } as PushDoc
    doubts.judge(push, { as: 'doubtful', reason: '403', proven: 'dead' })
  }
  for (let n = 0; n < 100; n++) doubt('eve', n)
  assert.deepEqual(doubts.states(), [])
  for (let n = 0; n < 9; n++) doubt(`user ${n}`, n)
  assert.equal(doubts.states().length, 1)
})
