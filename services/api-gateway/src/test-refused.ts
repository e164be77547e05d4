import assert from 'node:assert/strict'
import type { Answer } from './test-gateway.ts'

/** Asserts that the call was refused in the error envelope with this status, code and message. */
export function refused({ status, body }: Answer, wanted: number, code: string, message?: RegExp): void {
  assert.deepEqual([status, body.RC, body.error?.code], [wanted, wanted, code], JSON.stringify(body))
  if (message) assert.match(body.error.message, message)
}
