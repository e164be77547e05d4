import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { z } from 'zod'
import { allOperations } from '../operations/all.ts'
import { given } from '../operations/links.ts'
import { linksFrom } from './links.ts'

const operationOf = (id: string) => {
  const operation = allOperations.find((one) => one.id === id)
  assert.ok(operation, `${id} is an operation`)
  return operation
}

describe("the document's links", () => {
  test('lead from operations that create to operations that use', () => {
    const follow = (id: string) => Object.keys(linksFrom(operationOf(id)))
    const wanted: Record<string, string[]> = {
      saveUser: ['bindToken', 'revokeTokens', 'muteUser', 'eraseUser', 'createRoom', 'saveGroup'],
      createRoom: ['getRoom', 'updateRoom', 'deleteRoom', 'addMembers', 'listMessages', 'sendMessage', 'banMember'],
      sendMessage: ['writeMessage', 'addReaction', 'pinMessage', 'markRead', 'deleteForMe', 'deleteForAll'],
      saveGroup: ['deleteGroup'],
      setConfig: ['deleteConfigKey'],
      addMembers: ['joinRoom', 'declineInvitation'],
      banMember: ['unbanMember'],
      listFailedWebhooks: ['retryFailedWebhook'],
    }
    for (const [from, to] of Object.entries(wanted)) {
      assert.deepEqual(
        to.filter((id) => !follow(from).includes(id)),
        [],
        from,
      )
    }
  })

  for (const id of Object.keys(given)) {
    test(`from ${id} exist, and fill fields of their targets`, () => {
      const links = Object.values(linksFrom(operationOf(id)))
      assert.ok(links.length > 0)
      for (const { operationId, parameters = {}, requestBody = {} } of links) {
        const { params, query, body } = operationOf(operationId)
        const known = Object.keys({ ...params?.shape, ...query?.shape })
        assert.deepEqual(
          Object.keys(parameters).filter((name) => !known.includes(name)),
          [],
        )
        const fields = body instanceof z.ZodObject ? Object.keys(body.shape) : []
        assert.deepEqual(
          Object.keys(requestBody).filter((name) => !fields.includes(name)),
          [],
        )
      }
    })

    test(`the result of ${id} has the values that its links name`, () => {
      const { params, body, result, example } = operationOf(id)
      for (const expression of Object.values(given[id]?.names ?? {})) {
        const [, where, pointer = ''] =
          /^\$(response\.body#\/result|request\.body#|request\.path\.)(.*)$/.exec(expression) ?? []
        if (where === 'request.path.') assert.ok(params && pointer in params.shape, expression)
        else if (where === 'request.body#') assert.ok(fieldAt(body, pointer), expression)
        else if (where === undefined) assert.ok(Object.hasOwn(Object(example?.body), expression), expression)
        else assert.ok(fieldAt(result, pointer), expression)
      }
    })
  }
})

/** The schema that a JSON pointer leads to. */
function fieldAt(schema: z.core.$ZodType | undefined, pointer: string): z.core.$ZodType | undefined {
  let at = schema
  for (const step of pointer.split('/').slice(1)) {
    while (at instanceof z.ZodOptional || at instanceof z.ZodDefault) at = at.def.innerType
    at = at instanceof z.ZodArray ? at.element : at instanceof z.ZodObject ? at.shape[step] : undefined
  }
  return at
}
