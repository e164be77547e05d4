import assert from 'node:assert/strict'
import { test } from 'vitest'
import { watchOutage } from './outage.ts'

test('an outage is reported once per cause, and its end once', () => {
  const seen: string[] = []
  const outage = watchOutage(
    ({ message }) => seen.push(message),
    () => seen.push('end'),
  )
  outage.ended()
  for (const after of [100, 200, 300]) outage.failed(new Error(`refused, again after ${after} ms`))
  outage.failed(new Error('certificate has expired'))
  outage.failed(new Error('refused, again after 400 ms'))
  outage.ended()
  outage.ended()
  outage.failed(new Error('refused, again after 100 ms'))
  assert.deepEqual(seen, [
    'refused, again after 100 ms',
    'certificate has expired',
    'end',
    'refused, again after 100 ms',
  ])
})
