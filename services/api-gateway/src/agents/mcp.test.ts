import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { addApiKey } from '@parley/chat/access/api-keys'
import { allOperations } from '@parley/contracts/operations/all'
import type { KeyScope } from '@parley/contracts/scopes'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'
import { toolRequest } from './tools.ts'

describe('/mcp: API key operations as tools of the Model Context Protocol', () => {
  let gateway: TestGateway
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    const alice = await gateway.newUser('alice')
    room = await gateway.newRoom([alice], { name: 'Support' })
    const message = { room, sender: alice.id, message: 'Where is my refund?', messageType: 'text' }
    await gateway.admin('POST', '/messages', message)
  })
  afterAll(() => gateway.stop())

  const newKey = async (scopes: KeyScope[], app = gateway.app) =>
    (await addApiKey(gateway.chat, app, { name: randomUUID(), scopes })).apiKey

  /** The SDK's own client. */
  async function connect(apiKey: string, { query = '', header = 'authorization', url = gateway.url } = {}) {
    const value = header === 'authorization' ? `Bearer ${apiKey}` : apiKey
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`), {
      requestInit: { headers: { [header]: value } },
    })
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    onTestFinished(() => client.close())
    const names = async () => (await client.listTools()).tools.map(({ name }) => name)
    const call = async (name: string, given: object = {}) => {
      const { content, isError = false } = CallToolResultSchema.parse(
        await client.callTool({ name, arguments: { ...given } }),
      )
      const texts = content.map((part) => (part.type === 'text' ? part.text : ''))
      return { isError, body: JSON.parse(texts[0] ?? ''), text: texts.join('\n') }
    }
    return { client, names, call }
  }

  const post = (body: unknown, headers: Record<string, string> = {}, path = '/mcp') =>
    gateway.anonymous('POST', path, body, {
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${gateway.apiKey}`,
      ...headers,
    })
  const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

  test('tools/list shows only read tools within the scopes of the key', async () => {
    const { names, client } = await connect(await newKey(['rooms:read', 'rooms:write']))
    const expected = allOperations.filter(({ scope }) => scope === 'rooms:read').map(({ id }) => id)
    assert.deepEqual((await names()).toSorted(), expected.toSorted())
    const { tools } = await client.listTools()
    const members = tools.find(({ name }) => name === 'inspectMembers')
    assert.deepEqual(members?.inputSchema.required, ['id'])
    assert.ok('limit' in (members?.inputSchema.properties ?? {}))
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint))
  })

  test('/mcp?write=1 also lists write tools within the scopes, with the schema of the body', async () => {
    const { client, names } = await connect(await newKey(['rooms:write', 'messages:read']), { query: '?write=1' })
    const listed = await names()
    const expected = allOperations.filter(({ scope }) => scope === 'rooms:write' || scope === 'messages:read')
    assert.deepEqual(listed.toSorted(), expected.map(({ id }) => id).toSorted())
    const { tools } = await client.listTools()
    const create = tools.find(({ name }) => name === 'createRoom')
    assert.equal(create?.annotations?.readOnlyHint, false)
    const { body } = (create?.inputSchema.properties ?? {}) as { body?: { properties: object } }
    assert.ok('members' in (body?.properties ?? {}))
  })

  test('tools that need the platform permission are hidden without it; a key with all scopes sees all other reads', async () => {
    const basic = await (await connect(gateway.basicKey)).names()
    const platform = await (await connect(gateway.apiKey)).names()
    const reads = allOperations.filter(({ scope }) => scope?.endsWith(':read'))
    assert.deepEqual(platform.toSorted(), reads.map(({ id }) => id).toSorted())
    const forAll = reads.filter(({ access }) => access !== 'platform')
    assert.deepEqual(basic.toSorted(), forAll.map(({ id }) => id).toSorted())
  })

  test('a call returns the REST result, with path and query parameters, a filter as an object, and a body', async () => {
    const { call } = await connect(gateway.apiKey, { header: 'im-api-key' })
    const { body, isError } = await call('inspectMessages', { id: room, limit: 1 })
    assert.equal(isError, false)
    assert.equal(body.result.data[0].message, 'Where is my refund?')
    const byName = await call('listAllRooms', { q: { name: 'Support' } })
    assert.deepEqual(
      byName.body.result.data.map(({ _id }: { _id: string }) => _id),
      [room],
    )
    const found = await call('searchAllMessages', { body: { keyword: 'refund' } })
    assert.equal(found.body.result.data[0].room, room)
  })

  test('a write without the scope or without write=1 is refused; otherwise it runs and the audit log names the key', async () => {
    const reader = await newKey(['rooms:read', 'messages:read'])
    const writer = await newKey(['rooms:write'])
    const wanted = { body: { _id: randomUUID(), roomType: 'group', members: ['alice'] } }
    const lacking = await (await connect(reader, { query: '?write=1' })).call('createRoom', wanted)
    assert.ok(lacking.isError)
    assert.match(lacking.text, /PERMISSION_DENIED.*lacks the scope rooms:write/)
    const unasked = await (await connect(writer)).call('createRoom', wanted)
    assert.ok(unasked.isError)
    assert.match(unasked.text, /PERMISSION_DENIED.*write=1/)
    assert.equal((await gateway.admin('GET', `/admin/rooms/${wanted.body._id}`)).status, 404)
    const made = await (await connect(writer, { query: '?write=1' })).call('createRoom', wanted)
    assert.equal(made.isError, false, made.text)
    const { result } = (await gateway.admin('GET', `/admin/audit?action=createRoom`)).body
    const entry = result.data.find(({ subject }: { subject: { id: string } }) => subject.id === wanted.body._id)
    const { data: keys } = (await gateway.admin('GET', '/admin/keys')).body.result
    const { id } = keys.find(({ scopes }: { scopes: string[] }) => scopes.length === 1 && scopes[0] === 'rooms:write')
    assert.match(entry.actor, new RegExp(`^key:${id}`))
    assert.equal(entry.address, '127.0.0.1')
  })

  test('numbers in messages keep every digit', async () => {
    const { call } = await connect(gateway.apiKey, { query: '?write=1' })
    const message = '{"price":12345678901234567890.10}'
    const body = `{"room":"${room}","sender":"alice","messageType":"price","message":${message}}`
    const sent = await post(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sendMessage","arguments":{"body":${body}}}}`,
      {},
      '/mcp?write=1',
    )
    assert.equal(sent.status, 200)
    const { text } = await call('inspectMessages', { id: room, limit: 1 })
    assert.ok(text.includes(message), text)
  })

  test('a key sees only its own app', async () => {
    const other = await startTestGateway()
    onTestFinished(() => other.stop())
    const { call } = await connect(other.apiKey, { url: other.url })
    assert.match((await call('inspectRoom', { id: room })).text, /ROOM_NOT_FOUND/)
    await assert.rejects(connect(gateway.apiKey, { url: other.url }), /INVALID_API_KEY/)
  })

  test('bad input names the field; an unknown tool is a protocol error', async () => {
    const { call, client } = await connect(gateway.apiKey)
    for (const [tool, given, field] of [
      ['inspectMessages', { id: room, limit: 0 }, /INVALID_QUERY.*limit/],
      ['inspectMessages', {}, /INVALID_REQUEST.*id is required/],
      ['inspectMessages', { id: '..' }, /INVALID_REQUEST.*id/],
      ['inspectMessages', { id: room, colour: 1 }, /INVALID_REQUEST.*colour/],
      ['inspectRoom', { id: room, body: {} }, /INVALID_REQUEST.*body/],
      ['inspectRoom', { id: [room] }, /INVALID_REQUEST.*id: expected text/],
      ['inspectRoom', { id: { room } }, /INVALID_REQUEST.*id: expected text/],
      ['listAllRooms', { search: { name: 'Support' } }, /INVALID_REQUEST.*search: expected text/],
      ['listAllRooms', { q: [] }, /INVALID_QUERY.*q: expected an object/],
      ['inspectRoom', { id: 'x'.repeat(70_000) }, /URI_TOO_LONG/],
      ['searchAllMessages', { body: { keyword: 1 } }, /INVALID_REQUEST.*keyword/],
      ['searchAllMessages', { body: { colour: 1 } }, /INVALID_REQUEST.*colour/],
      ['searchAllMessages', { body: '{"keyword":"refund"}' }, /INVALID_REQUEST.*body: expected an object/],
      ['searchAllMessages', { body: [] }, /INVALID_REQUEST.*body: expected an object/],
      ['listAllRooms', { q: { colour: 'red' } }, /INVALID_QUERY.*colour/],
    ] as const) {
      const { isError, text } = await call(tool, given)
      assert.ok(isError, text)
      assert.match(text, field)
    }
    await assert.rejects(client.callTool({ name: 'getMyself', arguments: {} }), /no tool getMyself/)
  })

  test('parameters that do not fit the method are -32602 and name the field; a message that is no JSON-RPC is -32600', async () => {
    const request = { jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: 'listAllRooms' } }
    const withParams = (params: unknown, method = 'tools/call') => ({ ...request, method, params })
    for (const [message, field] of [
      ...['x', 1, true, null, []].map(
        (given) => [withParams({ name: 'x', arguments: given }), /^params.arguments/] as const,
      ),
      [withParams({}), /^params.name is required/],
      [withParams({ name: 1 }), /^params.name/],
      [withParams([]), /^params/],
      [withParams(undefined), /^params is required/],
      [withParams({ name: 'inspectRoom', _meta: 1 }), /^params._meta/],
      [withParams({ name: 'getMyself' }), /no tool getMyself/],
      [withParams({ cursor: 1 }, 'tools/list'), /^params.cursor/],
      [withParams({ cursor: 'x' }, 'tools/list'), /params.cursor/],
      [withParams({}, 'initialize'), /^params.protocolVersion/],
    ] as const) {
      const { status, body } = await post(message)
      assert.deepEqual([status, body.id, body.error.code], [200, 'a', -32_602], JSON.stringify(message))
      assert.match(body.error.message, field)
    }
    for (const [message, id, field] of [
      [{ ...request, jsonrpc: '1.0' }, 'a', /^jsonrpc/],
      [{ ...request, method: 1 }, 'a', /^method/],
      [{ ...request, colour: 1 }, 'a', /^colour/],
      [{ ...request, id: null }, null, /^id/],
      [{ ...request, id: 1.5 }, null, /^id/],
      [{ jsonrpc: '2.0' }, null, /^method is required/],
      ['null', null, /^expected object/],
      ['', null, /^expected object/],
    ] as const) {
      const { status, body } = await post(message)
      assert.deepEqual([status, body.id, body.error.code], [400, id, -32_600], JSON.stringify(message))
      assert.match(body.error.message, field)
    }
    const { body } = await post({ ...request, method: 'resources/list' })
    assert.deepEqual([body.id, body.error.code], ['a', -32_601])
  })

  test('a notification and a response are 202; a request for a task is answered at once', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]) {
      assert.equal((await post(message)).status, 202)
    }
    const params = { name: 'inspectRoom', arguments: { id: room }, task: { ttl: 1 } }
    const { body } = await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    assert.equal(body.result?.isError, false, JSON.stringify(body))
  })

  test('the result names ignored fields', async () => {
    const { call } = await connect(gateway.apiKey, { query: '?write=1' })
    const body = { room, sender: 'alice', message: 'x', messageType: 'text', colour: 'red' }
    assert.match((await call('sendMessage', { body })).text, /Ignored.*colour/)
  })

  test('an unknown key is 401 with WWW-Authenticate; another address or a browser page is 403', async () => {
    for (const authorization of ['Bearer wrong', 'Basic x', '']) {
      const { status, headers, body } = await post(listing, { authorization })
      assert.deepEqual([status, body.error.code], [401, 'INVALID_API_KEY'])
      assert.equal(headers.get('www-authenticate'), 'Bearer')
    }
    const elsewhere = await addApiKey(gateway.chat, gateway.app, {
      name: randomUUID(),
      scopes: ['all'],
      addresses: ['10.0.0.0/8'],
    })
    assert.equal((await post(listing, { authorization: `Bearer ${elsewhere.apiKey}` })).status, 403)
    const { status, body } = await post(listing, { origin: gateway.url })
    assert.deepEqual([status, body.error.code], [403, 'PERMISSION_DENIED'])
    assert.match(body.error.message, /Origin/)
    const allowing = await gateway.another({ mcpOrigins: ['https://agent.example'] })
    onTestFinished(() => allowing.stop())
    const headers = { authorization: `Bearer ${gateway.apiKey}`, accept: 'application/json, text/event-stream' }
    for (const [origin, expected] of [
      ['https://agent.example', 200],
      ['https://agent.example:8443', 403],
      ['null', 403],
    ] as const) {
      assert.equal((await allowing.anonymous('POST', '/mcp', listing, { ...headers, origin })).status, expected)
    }
  })

  test('body size and depth are limited; batches, streams and sessions are not supported', async () => {
    assert.equal((await post(listing)).status, 200)
    assert.equal((await post({ ...listing, params: { x: 'x'.repeat(1024 * 1024) } })).status, 413)
    const deep = `${'['.repeat(200)}${']'.repeat(200)}`
    assert.equal((await post(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${deep}}}`)).status, 400)
    const batch = await post([listing])
    assert.deepEqual([batch.status, batch.body.error.code], [400, 'INVALID_BODY'])
    assert.equal((await post('{')).body.error.code, 'INVALID_BODY')
    assert.equal((await post(listing, {}, '/mcp?write=yes')).body.error.code, 'INVALID_QUERY')
    for (const method of ['GET', 'DELETE'] as const) {
      const { status, headers } = await gateway.anonymous(method, '/mcp')
      assert.deepEqual([status, headers.get('allow')], [405, 'POST, OPTIONS'])
    }
  })

  test('each request counts once against the rate limit of the key, tool calls included', async () => {
    let hits = 0
    const counts = {
      hit: (_name: string, _ms: number, max: number) => ({ count: ++hits > max ? max + 1 : 1, leftMS: 1 }),
    }
    const limited = await gateway.another({
      rateLimits: { counts, perApiKey: 5, perUser: 0, perApp: 0, failedLoginsPerAddress: 0, uploadsPerUser: 0 },
    })
    onTestFinished(() => limited.stop())
    // Initialization and the notification after it.
    const { call } = await connect(gateway.apiKey, { url: limited.url })
    assert.equal((await call('inspectRoom', { id: room })).isError, false)
    assert.equal(hits, 3)
    for (let left = 2; left > 0; left--) assert.equal((await call('inspectRoom', { id: room })).isError, false)
    await assert.rejects(call('inspectRoom', { id: room }), /TOO_MANY_REQUESTS/)
    const forged = { 'im-api-key': gateway.apiKey, 'parley-counted': randomUUID() }
    const { status } = await fetch(`${limited.url}/admin/rooms/${room}`, { headers: forged })
    assert.equal(status, 429)
  })

  test('the arguments of every tool resolve to its own operation', () => {
    for (const operation of allOperations.filter(({ scope }) => scope)) {
      const names = [...operation.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
      const { method, url } = toolRequest(operation, Object.fromEntries(names.map((name) => [name, 'a/b?'])))
      assert.equal(method, operation.method)
      assert.equal(url, operation.path.replaceAll(/:\w+/g, 'a%2Fb%3F'))
      const taken = [...names, ...Object.keys(operation.query?.shape ?? {}), 'body']
      assert.equal(new Set(taken).size, taken.length, operation.id)
    }
  })
})
