import assert from 'node:assert/strict'
import { afterEach, test, vi } from 'vitest'
import { createListeners } from './listeners.ts'

afterEach(() => vi.restoreAllMocks())

test('an error in one listener is reported as uncaught, and the others still run', () => {
  const reports: (() => void)[] = []
  vi.spyOn(globalThis, 'queueMicrotask').mockImplementation((report) => void reports.push(report))
  const listeners = createListeners<{ message: string }>()
  const heard: string[] = []
  listeners.on('message', () => {
    throw new Error('broken')
  })
  listeners.on('message', (message) => heard.push(message))
  listeners.call('message', 'one')
  assert.deepEqual(heard, ['one'])
  const [report, ...more] = reports
  assert.ok(report && more.length === 0)
  assert.throws(report, { message: 'broken' })
})

test('a listener added during delivery gets the next event, but not the current one', () => {
  const listeners = createListeners<{ message: string }>()
  const heard: string[] = []
  let stop = listeners.on('message', () => {
    stop()
    stop = listeners.on('message', (message) => heard.push(message))
  })
  listeners.call('message', 'one')
  listeners.call('message', 'two')
  assert.deepEqual(heard, ['two'])
})
