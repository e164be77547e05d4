import assert from 'node:assert/strict'
import { allOperations } from '@parley/contracts/operations/all'
import { describe, test } from 'vitest'
import { errorCodes } from './error-responses.ts'

describe('the errors of an operation', () => {
  const codesOf = (id: string) => {
    const operation = allOperations.find((candidate) => candidate.id === id)
    assert.ok(operation, id)
    return errorCodes(operation)
  }

  test('include MISSING_PARAMETER if a body field is required', () => {
    for (const id of ['pushToClients', 'subscribe', 'setConfig', 'revokeTokens', 'banMember', 'unsubscribe']) {
      assert.equal(codesOf(id).includes('MISSING_PARAMETER'), id === 'pushToClients' || id === 'subscribe', id)
    }
  })

  test('include it also if only a field of an optional object is required', () => {
    assert.ok(codesOf('changeScheduled').includes('MISSING_PARAMETER'))
  })

  test('include MISSING_PARAMETER if IM-CLIENT-ID is required, and INVALID_REQUEST if a header can be invalid', () => {
    for (const operation of allOperations) {
      const codes = errorCodes(operation)
      if (operation.access === 'client-with-id') assert.ok(codes.includes('MISSING_PARAMETER'), operation.id)
      const { headers } = operation
      const usual = { 'im-client-id': 'alice', 'im-api-key': 'key' }
      const wrong = Object.keys(headers?.shape ?? {}).filter(
        (name) => headers?.safeParse({ ...usual, [name]: '\uD800'.repeat(5_000) }).success === false,
      )
      if (wrong.length > 0) assert.ok(codes.includes('INVALID_REQUEST'), `${operation.id}: ${wrong.join()}`)
    }
    assert.ok(codesOf('listEvents').includes('INVALID_REQUEST'))
    assert.ok(codesOf('setConfig').includes('INVALID_REQUEST'), 'a key . or ..')
  })

  test('include INVALID_QUERY if a parameter can be invalid, but not if parameters are ignored', () => {
    assert.ok(codesOf('listGroups').includes('INVALID_QUERY'))
    assert.ok(!codesOf('unmuteUser').includes('INVALID_QUERY'))
  })
})
