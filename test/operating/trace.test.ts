import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type CallbackDouble, startCallback } from '../doubles/callback.ts'
import { call, connectClient, eventually, type RunningService } from '../platform.ts'
import { type PushPlatform, startPushPlatform } from '../push/test-push-platform.ts'

/** The parts of OTLP/JSON that this test uses (opentelemetry.io/docs/specs/otlp). */
interface Span {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
}
interface Exported {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue: string } }[] }
    scopeSpans: { spans: Omit<Span, 'service'>[] }[]
  }[]
}

const traceId = '0af7651916cd43dd8448eb211c80319c'
const callerSpan = 'b7ad6b7169203331'

describe('a trace (OpenTelemetry)', () => {
  let platform: PushPlatform
  let receiver: CallbackDouble
  let gateway: RunningService
  let realtime: RunningService
  let push: RunningService
  let room: string
  let alice: string
  let bob: string
  let socket: Socket
  const env = () => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test%20bed',
    PARLEY_LOG_LEVEL: 'debug',
  })

  beforeAll(async () => {
    ;[platform, receiver] = await Promise.all([startPushPlatform(), startCallback()])
    receiver.behave = () => ({ status: 200, body: '{}' })
    gateway = await platform.start('api-gateway', env())
    realtime = await platform.start('realtime', env())
    push = await platform.startPush(env())
    alice = await platform.newUser()
    bob = await platform.newUser(['fcm'])
    room = await platform.newRoom([alice, bob])
    const { token } = await platform.admin('POST', '/admin/clients', { _id: alice, issueAccessToken: true })
    socket = await connectClient(realtime.url, String(token))
  })
  afterAll(async () => {
    socket?.close()
    await platform.stop()
    await receiver.stop()
  })

  function spans(): Span[] {
    const exported = receiver.calls.filter(({ path }) => path === '/v1/traces').map(({ body }) => body as Exported)
    return exported.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ resource, scopeSpans }) => {
        const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
        return scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service })))
      }),
    )
  }
  const send = async (headers: Record<string, string>) => {
    const message = { room, sender: alice, message: 'hello', messageType: 'text' }
    const { status } = await call(
      gateway.url,
      'POST',
      '/messages',
      { 'im-api-key': platform.apiKey, ...headers },
      message,
    )
    assert.equal(status, 200)
  }

  test("follows a message through gateway, bus, realtime and push, as children of the caller's span", async () => {
    await send({ traceparent: `00-${traceId}-${callerSpan}-01` })
    const steps = [
      ['parley-api-gateway', 'POST /messages'],
      ['parley-api-gateway', 'write message'],
      ['parley-api-gateway', 'publish chat message'],
      ['parley-realtime', 'deliver chat message'],
      ['parley-push', 'push chat message'],
      ['parley-push', 'send to fcm'],
    ] as const
    const mine = () => spans().filter((span) => span.traceId === traceId)
    const find = ([service, name]: readonly [string, string]) =>
      mine().find((span) => span.service === service && span.name === name)
    await eventually('every step', () => steps.every(find))
    const root = find(steps[0])
    assert.equal(root?.parentSpanId, callerSpan)
    for (const step of steps.slice(1)) assert.equal(find(step)?.parentSpanId, root?.spanId, step.join(': '))
  })

  test('has the release and the attributes in OTEL_RESOURCE_ATTRIBUTES', async () => {
    await send({})
    const exported = () =>
      receiver.calls.filter(({ path }) => path === '/v1/traces').map(({ body }) => body as Exported)
    await eventually('spans', () => exported().length > 0)
    const attributes = exported()[0]?.resourceSpans[0]?.resource.attributes.map(({ key, value }) => [
      key,
      value.stringValue,
    ])
    const { 'service.version': release, 'deployment.environment': environment } = Object.fromEntries(attributes ?? [])
    const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
      version: string
    }
    assert.deepEqual([release, environment], [version, 'test bed'])
  })

  test("every log line about a request has its ID and the load balancer's", async () => {
    await send({ 'x-request-id': 'from-the-balancer' })
    const linesOf = ({ logFile }: RunningService) =>
      readFileSync(logFile, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"from-the-balancer:'))
        .map((line) => JSON.parse(line) as { msg: string; request: string; trace_id?: string })
    await eventually('the lines', () => [gateway, realtime, push].every((service) => linesOf(service).length > 0))
    const requests = [gateway, realtime, push].flatMap((service) => linesOf(service).map(({ request }) => request))
    assert.equal(new Set(requests).size, 1)
    const [, id = ''] = /^from-the-balancer:([0-9a-f]{32})-[0-9a-f]{16}$/.exec(requests[0] ?? '') ?? []
    await eventually('the trace that the ID names', () => spans().some((span) => span.traceId === id))
    for (const service of [gateway, realtime, push]) {
      for (const line of linesOf(service)) assert.equal(line.trace_id, id, line.msg)
    }
    assert.deepEqual(
      [gateway, realtime, push].map((service) => linesOf(service)[0]?.msg),
      ['request', 'delivered', 'push sent'],
    )
  })

  test('traces an emit like a request', async () => {
    await socket.emitWithAck('chat message', { room, message: 'hi', messageType: 'text' })
    const emit = await eventually('the emit', () => spans().find(({ name }) => name === 'emit chat message'))
    const ofEmit = ({ name, parentSpanId }: Span) => name === 'push chat message' && parentSpanId === emit.spanId
    await eventually('what it caused', () => spans().some(ofEmit))
  })

  test('an unavailable receiver delays nothing and is logged', async () => {
    const alone = await platform.start('api-gateway', { ...env(), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
    for (let i = 0; i < 3; i++) {
      const { status } = await call(alone.url, 'GET', '/admin/clients?limit=1', { 'im-api-key': platform.apiKey })
      assert.equal(status, 200)
    }
    await eventually('the line', () => readFileSync(alone.logFile, 'utf8').includes('traces not exported'))
    await alone.stop()
  })

  test("without an endpoint nothing is traced, and the load balancer's request ID is kept", async () => {
    const message = { room, sender: alice, message: 'hello', messageType: 'text' }
    const headers = { 'im-api-key': platform.apiKey, 'x-request-id': 'plain-one' }
    assert.equal((await call(platform.gateway.url, 'POST', '/messages', headers, message)).status, 200)
    await eventually('the line', () => readFileSync(platform.gateway.logFile, 'utf8').includes('"plain-one"'))
  })
})
