import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { errorCatalogue } from '@parley/contracts/errors'
import { allOperations } from '@parley/contracts/operations/all'
import { Validator } from '@seriousme/openapi-schema-validator'
import { openApiDocument } from './openapi-document.ts'
import { startTestGateway, type TestGateway } from './test-gateway.ts'

interface Document {
  webhooks: Record<string, object>
  components: { schemas: Record<string, object> }
  paths: Record<string, Record<string, { operationId: string; responses: object; 'x-extension'?: boolean }>>
}

suite('the OpenAPI document', () => {
  let gateway: TestGateway
  let document: Document
  before(async () => {
    gateway = await startTestGateway()
    document = (await openApiDocument()) as Document
  })
  after(() => gateway.stop())

  test('passes a public validator of OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(JSON.stringify(document)))
    assert.ok(valid, JSON.stringify(errors, null, 2))
  })

  test('is what the gateway serves: every operation of the contract has its route', async () => {
    const { body } = await gateway.anonymous('GET', '/openapi.json')
    assert.deepEqual(body, JSON.parse(JSON.stringify(document)))
  })

  test('describes the calls to integrators, by schemas that are in it', () => {
    const { webhooks, components } = document
    assert.deepEqual(Object.keys(webhooks), ['roomWebhook', 'pushGeneric'])
    const named = [...JSON.stringify(webhooks).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name = '']) => name,
    )
    assert.ok(named.length > 0)
    assert.deepEqual(
      named.filter((name) => !(name in components.schemas)),
      [],
    )
  })

  test('docs/openapi.json is up to date (pnpm docs:api writes it)', () => {
    const written = readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')
    assert.deepEqual(JSON.parse(written), JSON.parse(JSON.stringify(document)))
  })

  test('the README names every operation that is ours', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../../README.md'), 'utf8')
    const ours = allOperations.filter(({ extension }) => extension)
    const named = ours.map(({ method, path }) => `\`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\``)
    assert.deepEqual(
      named.filter((name) => !readme.includes(name)),
      [],
    )
  })

  test('has every operation once, with its errors, and marks what is ours', () => {
    const described = Object.values(document.paths).flatMap((path) => Object.values(path))
    assert.deepEqual(
      described.map(({ operationId }) => operationId).toSorted(),
      allOperations.map(({ id }) => id).toSorted(),
    )
    for (const operation of described) {
      const contract = allOperations.find(({ id }) => id === operation.operationId)
      assert.equal(operation['x-extension'], contract?.extension)
      for (const code of contract?.errors ?? []) {
        const answer = JSON.stringify(operation.responses[String(errorCatalogue[code].status) as keyof object])
        assert.match(answer, new RegExp(`"${code}"`), `${operation.operationId} describes ${code}`)
      }
    }
  })

  for (const { id, example, body, result, form } of allOperations) {
    test(`the examples of ${id} (${form}) are of their schemas`, () => {
      assert.ok(example, 'has an example')
      if (example.body !== undefined) body?.parse(example.body)
      if (example.result !== undefined) result.parse(example.result)
    })
  }

  test('the page to read is served at /docs', async () => {
    const answer = await fetch(`${gateway.url}/docs`)
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /swagger-ui/)
  })
})
