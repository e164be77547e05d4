import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type InterfaceOperation,
  interfaceOperations,
  interfacePushCall,
  interfaceResources,
} from '@parley/contracts/documents/interface-names'
import type { JsonSchema } from '@parley/contracts/documents/json-schema'
import { inPlace, isPartName, withoutPartRefs } from '@parley/contracts/documents/part-names'
import { typeOf, unmarkedFields } from '@parley/contracts/documents/test-fields'
import { beforeAll, describe, test } from 'vitest'

interface Media {
  content?: { 'application/json'?: { schema: JsonSchema } }
}
interface Operation {
  'x-extension'?: boolean
  parameters?: { name: string; in: string; required: boolean; schema: JsonSchema; 'x-extension'?: boolean }[]
  requestBody?: Media
  responses: Record<string, Media>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, { post: Operation }>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, Media>
    parameters: Record<string, object>
  }
}

const schemaOf = (media: Media | undefined): JsonSchema => media?.content?.['application/json']?.schema ?? {}
const fieldsOf = (media: Media | undefined) => (media?.content ? unmarkedFields(schemaOf(media)) : [])

/** The parts of an operation that are not marked as extensions, in the form of the table. */
function unmarkedIn({ parameters = [], requestBody, responses }: Operation): Required<InterfaceOperation> {
  const named = (where: string) =>
    parameters
      .filter((parameter) => parameter.in === where && !parameter['x-extension'])
      .map(({ name, required, schema }) => `${name}${required ? '*' : ''} ${typeOf(schema)}`)
  const [whole, bare] = (schemaOf(responses['200'])['anyOf'] as JsonSchema[] | undefined) ?? [
    schemaOf(responses['200']),
  ]
  const { result = whole } = (whole?.['properties'] ?? {}) as { result?: JsonSchema }
  const errors = Object.entries(responses).flatMap(([status, answer]) =>
    [...JSON.stringify(schemaOf(answer)).matchAll(/"([A-Z_]{5,})"/g)].map(([, code]) => `${status} ${code}`),
  )
  return {
    headers: named('header'),
    params: named('path'),
    query: named('query'),
    body: fieldsOf(requestBody),
    result: result ? unmarkedFields(result) : [],
    bareResult: bare ? unmarkedFields(bare) : [],
    errors,
  }
}

describe('extensions in the OpenAPI document', () => {
  let document: Document
  let operations: Map<string, Operation>
  beforeAll(() => {
    document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../docs/openapi.json'), 'utf8')) as Document
    operations = new Map(
      Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => [
          `${method.toUpperCase()} ${path}`,
          inPlace(operation, document.components),
        ]),
      ),
    )
  })

  for (const [name, { errors = [], ...wanted }] of Object.entries(interfaceOperations)) {
    test(`${name} marks everything outside the interface`, () => {
      const operation = operations.get(name)
      assert.ok(operation, 'is described')
      assert.ok(!operation['x-extension'], 'is not marked itself')
      const { errors: codes, ...unmarked } = unmarkedIn(operation)
      for (const [part, fields] of Object.entries(unmarked)) {
        const named: string[] = wanted[part as keyof typeof wanted] ?? []
        assert.deepEqual(fields.toSorted(), named.toSorted(), part)
      }
      assert.deepEqual(
        errors.filter((error) => !codes.includes(error)),
        [],
      )
    })
  }

  test('every operation outside the interface is marked, with all its fields', () => {
    const ours = [...operations].filter(([name]) => !(name in interfaceOperations))
    assert.ok(ours.length > 0)
    for (const [name, operation] of ours) {
      assert.equal(operation['x-extension'], true, name)
      const { errors: _, result, ...unmarked } = unmarkedIn(operation)
      assert.deepEqual(Object.values(unmarked).flat(), [], name)
      // The rest of the result has no named type.
      assert.deepEqual(
        result.filter((field) => field.includes(' ')),
        [],
        name,
      )
    }
  })

  test('schemas mark all fields outside their resource; other resources are marked whole', () => {
    const { schemas } = document.components
    for (const [id, schema] of Object.entries(schemas).filter(([name]) => !isPartName(name))) {
      const name = id.replace(/Input$/, '')
      assert.deepEqual(
        unmarkedFields(withoutPartRefs(schema, schemas)).toSorted(),
        (interfaceResources[name] ?? []).toSorted(),
        id,
      )
    }
    const described = new Set(Object.keys(schemas).map((id) => id.replace(/Input$/, '')))
    assert.deepEqual(
      Object.keys(interfaceResources).toSorted(),
      [...described].filter((name) => name in interfaceResources).toSorted(),
    )
  })

  test('the push callback has the fields of the interface, and its signature is marked', () => {
    const { pushGeneric, roomWebhook } = document.webhooks
    assert.ok(pushGeneric && roomWebhook)
    const { body, headers } = unmarkedIn(inPlace(pushGeneric.post, document.components))
    assert.deepEqual(body.toSorted(), interfacePushCall.toSorted())
    assert.deepEqual(headers, [])
    assert.equal(roomWebhook.post['x-extension'], true)
    assert.deepEqual(unmarkedIn(inPlace(roomWebhook.post, document.components)).body, [])
  })
})
