import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorCatalogue } from '@parley/contracts/errors'
import { allOperations } from '@parley/contracts/operations/all'
import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { newOperator } from '../console/test-operator.ts'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'
import { configSchemaDocument } from './config-schema.ts'
import { openApiDocument } from './openapi-document.ts'

interface Described {
  operationId: string
  responses: object
  requestBody?: { required?: boolean }
  'x-extension'?: boolean
}
interface Content {
  content?: Record<string, { schema?: { type?: string } }>
}
interface Document {
  servers: { url: string }[]
  info: { license: { name: string }; contact: { name: string } }
  tags: { name: string; description: string }[]
  webhooks: Record<string, object>
  components: { schemas: Record<string, object>; responses: Record<string, object> }
  paths: Record<string, Record<string, Described>>
}

const written = (name: string) => readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8')

describe('the OpenAPI document', () => {
  let gateway: TestGateway
  let document: Document
  beforeAll(async () => {
    // First: it is slow, and a gateway delayed this long refuses calls.
    document = (await openApiDocument()) as Document
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  /** A response of an operation; it may be a component. */
  function responseOf({ responses }: Described, status: number): { headers?: object } {
    const response = (responses as Record<string, { $ref?: string; headers?: object }>)[status] ?? {}
    return response.$ref === undefined
      ? response
      : (document.components.responses[response.$ref.replace(/.*\//, '')] ?? {})
  }

  test('passes a public validator of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    assert.ok(valid, JSON.stringify(errors, null, 2))
  })

  test('is served at /openapi.json, beside the AsyncAPI document and the schema of the configuration', async () => {
    for (const name of ['openapi.json', 'asyncapi.json', 'config.schema.json']) {
      const { status, text, headers } = await gateway.anonymous('GET', `/${name}`)
      assert.deepEqual([status, headers.get('content-encoding')], [200, 'gzip'], 'npm run build:page')
      assert.match(String(headers.get('content-type')), /^application\/json\b/)
      assert.ok(text === written(name), name)
    }
  })

  test('describes the calls to integrators, with schemas from the document', () => {
    const { webhooks, components } = document
    assert.deepEqual(Object.keys(webhooks), ['roomWebhook', 'moderate', 'directory', 'pushGeneric'])
    const named = [...JSON.stringify(webhooks).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name = '']) => name,
    )
    assert.ok(named.length > 0)
    assert.deepEqual(
      named.filter((name) => !(name in components.schemas)),
      [],
    )
  })

  test('names every body, result, list and error in components, and has at most 500 KB', () => {
    const inline = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => {
        const bodies = [operation.requestBody, ...Object.values(operation.responses)] as Content[]
        return bodies.map((body) => ({
          id: operation.operationId,
          schema: body?.content?.['application/json']?.schema,
        }))
      })
      .filter(({ schema }) => schema?.type === 'object' || schema?.type === 'array')
    assert.deepEqual(inline, [])
    assert.ok(Buffer.byteLength(written('openapi.json')) <= 500_000)
  })

  test('has a server, a licence, a contact, and a description for every tag', () => {
    const { servers, info, tags } = document
    assert.ok(servers[0]?.url && info.license.name && info.contact.name)
    const described = new Set(tags.filter(({ description }) => description).map(({ name }) => name))
    assert.deepEqual(
      allOperations.map(({ tag }) => tag).filter((tag) => !described.has(tag)),
      [],
    )
  })

  test('docs/openapi.json is up to date (`npm run docs:api` writes it)', () => {
    // A comparison of every value takes seconds.
    assert.ok(JSON.stringify(JSON.parse(written('openapi.json'))) === JSON.stringify(document))
    assert.deepEqual(JSON.parse(written('config.schema.json')), configSchemaDocument())
  })

  test('docs/reference/README.md names every Parley extension', () => {
    const page = written('reference/README.md')
    const ours = allOperations.filter(({ inInterface }) => !inInterface)
    const named = ours.map(({ method, path }) => `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``)
    assert.deepEqual(
      named.filter((name) => !page.includes(name)),
      [],
    )
  })

  test('has every operation once, with its errors, and marks Parley extensions', () => {
    const described = Object.values(document.paths).flatMap((path) => Object.values(path))
    assert.deepEqual(
      described.map(({ operationId }) => operationId).toSorted(),
      allOperations.map(({ id }) => id).toSorted(),
    )
    for (const operation of described) {
      const contract = allOperations.find(({ id }) => id === operation.operationId)
      assert.equal(operation['x-extension'] ?? false, !contract?.inInterface)
      for (const code of contract?.errors ?? []) {
        const answer = JSON.stringify(responseOf(operation, errorCatalogue[code].status))
        assert.match(answer, new RegExp(`\\b${code}\\b`), `${operation.operationId} describes ${code}`)
      }
    }
  })

  for (const { id, example, body, result } of allOperations) {
    test(`the examples of ${id} match their schemas`, () => {
      assert.ok(example, 'has an example')
      if (example.body !== undefined) body?.parse(example.body)
      if (example.result !== undefined) result.parse(example.result)
    })
  }

  test('marks a body as required if and only if requests without one are refused', async () => {
    const user = await gateway.newUser()
    const operator = await newOperator(gateway, [{ app: '*', role: 'owner' }])
    const wrong: string[] = []
    for (const { id, method, path, access, body } of allOperations) {
      if (!body) continue
      const byKey = access === 'admin' || access === 'platform' ? gateway.admin : user.call
      const call = access === 'operator' ? operator.call : byKey
      const { status } = await call(method, path.replaceAll(/:\w+/g, 'nowhere'))
      const described = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      if (described?.requestBody?.required !== (status === 400)) wrong.push(`${id}: ${status}`)
    }
    assert.deepEqual(wrong, [])
  })

  test('documents the request ID of every response', async () => {
    const { headers } = await gateway.anonymous('GET', '/me')
    assert.ok(headers.get('x-request-id'))
    const answers = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => Object.keys(operation.responses).map((status) => responseOf(operation, Number(status))))
    assert.ok(answers.every((answer) => answer.headers && 'X-Request-ID' in answer.headers))
  })
})
