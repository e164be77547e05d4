import assert from 'node:assert/strict'
import { allOperations } from '@parley/contracts/operations/all'
import { describe, test } from 'vitest'
import { errorCodes } from './error-answers.ts'

describe('the errors of an operation', () => {
  const codesOf = (id: string) => {
    const operation = allOperations.find((candidate) => candidate.id === id)
    assert.ok(operation, id)
    return errorCodes(operation)
  }

  test('have MISSING_PARAMETER where a field of the body is required', () => {
    for (const id of ['pushToClients', 'subscribe', 'setConfig', 'revokeTokens', 'banMember', 'unsubscribe']) {
      assert.equal(codesOf(id).includes('MISSING_PARAMETER'), id === 'pushToClients' || id === 'subscribe', id)
    }
  })

  test('have it also where only a field of an object that may be left out is required', () => {
    assert.ok(codesOf('changeScheduled').includes('MISSING_PARAMETER'))
  })

  test('have INVALID_QUERY where a parameter may be wrong, and not where parameters have no effect', () => {
    assert.ok(codesOf('listGroups').includes('INVALID_QUERY'))
    assert.ok(!codesOf('unmuteUser').includes('INVALID_QUERY'))
  })
})
