import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { isAtLeast, type Role, requireRole } from './room-role.ts'

/** Highest first. */
const roles: readonly Role[] = ['integrator', 'platform admin', 'owner', 'manager', 'member']

describe('a role in a room', () => {
  for (const [i, least] of roles.entries()) {
    test(`${least} includes higher roles, and no lower ones`, () => {
      assert.deepEqual(
        roles.filter((role) => isAtLeast(role, least)),
        roles.slice(0, i + 1),
      )
    })
  }

  test('below the required one is refused, naming the allowed roles', () => {
    requireRole('owner', 'owner', 'freezing')
    requireRole('integrator', 'owner', 'freezing')
    assert.throws(() => requireRole('manager', 'owner', 'freezing'), {
      code: 'INSUFFICIENT_PERMISSIONS',
      message: 'freezing only by: platform admin, owner',
    })
  })
})
