import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'

/** Resolves when the condition holds; fails after a minute. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadlineMS = performance.now() + 60_000
  while (!(await condition())) {
    assert.ok(performance.now() < deadlineMS, `not within a minute: ${what}`)
    await pause(20)
  }
}
