import assert from 'node:assert/strict'
import { test } from 'vitest'
import { takeStates, viewOf, type WatchedUser } from './watched-users.ts'

test('a user who left during an outage was last seen then, not at the login', () => {
  const watches: WatchedUser['watches'] = new Map()
  const bob: WatchedUser = {
    app: 'app',
    user: 'bob',
    watches,
    state: 'unknown',
    wasConnected: false,
    goneAtMS: undefined,
  }
  const rights = { isShown: true, lastSeenMS: 1 }
  const take = (state: 'online' | undefined, isComplete: boolean) =>
    takeStates([bob], { states: new Map(state && [['bob', state]]), isComplete }, true)

  take(undefined, true)
  assert.equal(viewOf(bob, rights).lastSeenMS, 1, 'never seen here')
  take('online', true)
  take(undefined, false)
  assert.equal(viewOf(bob, rights).state, 'unknown')
  const before = Date.now()
  take(undefined, true)
  assert.ok(Number(viewOf(bob, rights).lastSeenMS) >= before)
})
