import assert from 'node:assert/strict'
import { test } from 'vitest'
import { baseUrl } from '../src/api.ts'
import { curlOf, httpRequestOf } from '../src/screens/developers/http-request.ts'

const parameters = [
  { in: 'path', name: 'id' },
  { in: 'query', name: 'q', example: '{}' },
  { in: 'query', name: 'limit', example: 50 },
  { in: 'header', name: 'Idempotency-Key' },
]

test('the explorer encodes each value, leaves out empty ones, and sends a body only if there is one', () => {
  const values = { id: 'a/b?', q: '{"name":"é&"}', limit: '', 'Idempotency-Key': 'once' }
  assert.deepEqual(httpRequestOf('PUT /rooms/{id}', parameters, values, '{"name":"x"}'), {
    method: 'PUT',
    url: `${baseUrl}/rooms/a%2Fb%3F?q=%7B%22name%22%3A%22%C3%A9%26%22%7D`,
    headers: { 'Idempotency-Key': 'once', 'Content-Type': 'application/json' },
    body: '{"name":"x"}',
  })
  assert.deepEqual(httpRequestOf('GET /rooms/{id}', [], { id: 'r' }, undefined), {
    method: 'GET',
    url: `${baseUrl}/rooms/r`,
    headers: {},
  })
})

test('the curl command quotes every value for a shell, and names the key by a variable', () => {
  const request = { method: 'POST', url: 'http://x/a', headers: { A: "it's" }, body: "{'}" }
  const quote = String.raw`'\''`
  assert.equal(
    curlOf(request),
    `curl -X POST 'http://x/a' -H "IM-API-KEY: $PARLEY_API_KEY" -H 'A: it${quote}s' -d '{${quote}}'`,
  )
})
