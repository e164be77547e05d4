import assert from 'node:assert/strict'
import { makeApp } from '@parley/local/make-app'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { call, eventually } from '../platform.ts'
import { callTimeoutMS, startWebhookPlatform, type WebhookPlatform } from './test-webhooks.ts'

/** The error code of a response. */
const codeOf = (body: object) => (body as { error?: { code: string } }).error?.code

interface Delivery {
  id: string
  roomID: string
  event: string
  state: string
  tries: number
  status?: number
  answer?: string
  durationMS?: number
  createdAtMS: number
  lastError?: string
}

describe('GET /admin/webhooks/calls', () => {
  let platform: WebhookPlatform
  let alice: string

  beforeAll(async () => {
    platform = await startWebhookPlatform()
    await platform.startPush({
      PARLEY_PUSH_CALL_TIMEOUT_MS: String(callTimeoutMS),
      PARLEY_PUSH_CALL_RETRY_MS: '4000',
    })
    alice = await platform.newUser()
  })
  afterAll(() => platform.stop())
  beforeEach(() => {
    platform.hooks.behave = () => undefined
  })

  const list = async (query: string) =>
    (await platform.admin('GET', `/admin/webhooks/calls?${query}`)) as { data: Delivery[]; cursor?: string }
  const callsOf = async (room: string) => (await list(`room=${room}&limit=500`)).data
  /** Creates a room and waits until all its calls are made. */
  async function hookedRoom(messages: number) {
    const hooked = await platform.newHookedRoom([alice])
    for (let i = 0; i < messages; i++) await platform.send(hooked.room, alice, { message: `message ${i}` })
    await eventually('all are made', async () => {
      const calls = await callsOf(hooked.room)
      return calls.length === messages + 1 && calls.every(({ state }) => state === 'done')
    })
    return hooked
  }

  test('lists calls, latest first, with status, attempts, duration and the first KiB of the response', async () => {
    const text = `{"x":"${'é'.repeat(600)}"}`
    platform.hooks.behave = ({ body }) => (body.event === 'MESSAGE' ? { body: text } : undefined)
    const { room } = await hookedRoom(2)
    const calls = await callsOf(room)
    assert.deepEqual(
      calls.map(({ event, status, tries, state }) => [event, status, tries, state]),
      [
        ['MESSAGE', 200, 1, 'done'],
        ['MESSAGE', 200, 1, 'done'],
        [calls[2]?.event, 200, 1, 'done'],
      ],
    )
    const [latest = assert.fail()] = calls
    assert.ok(latest.durationMS !== undefined && latest.durationMS >= 0)
    const answer = latest.answer ?? ''
    assert.ok(text.startsWith(answer) && Buffer.byteLength(answer) <= 1_024 && Buffer.byteLength(answer) > 1_020)
    assert.ok(!JSON.stringify(calls).includes(platform.hooks.url), 'a URL may contain a secret')
  })

  test('includes failed calls with status and error, and waiting calls', async () => {
    const { room } = await hookedRoom(0)
    platform.hooks.behave = ({ body }) =>
      body.roomID === room ? { status: body.data.message === 'no' ? 400 : 503, body: 'broken' } : undefined
    await platform.send(room, alice, { message: 'no' })
    await platform.send(room, alice, { message: 'later' })
    const named = async (state: string) => (await callsOf(room)).find((one) => one.state === state)
    await eventually('one failed', async () => (await named('failed')) !== undefined)
    const failed = await named('failed')
    assert.deepEqual([failed?.status, failed?.answer, failed?.lastError, failed?.tries], [400, 'broken', '400', 1])
    await eventually('the other was tried', async () => (await callsOf(room)).some(({ status }) => status === 503))
  })

  test('returns pages without gaps or repeats, by room and time', async () => {
    const { room } = await hookedRoom(5)
    const other = await hookedRoom(1)
    const all = await callsOf(room)
    const paged: Delivery[] = []
    let cursor: string | undefined
    do {
      const next: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page = await list(`room=${room}&limit=2${next}`)
      paged.push(...page.data)
      cursor = page.cursor
    } while (cursor !== undefined)
    assert.deepEqual(paged, all)
    const middle = all[2]?.createdAtMS ?? Number.NaN
    const since = await list(`room=${room}&since=${middle}`)
    assert.deepEqual(
      since.data,
      all.filter(({ createdAtMS }) => createdAtMS >= middle),
    )
    const everywhere = new Set((await list('limit=500')).data.map(({ roomID }) => roomID))
    assert.ok(everywhere.has(room) && everywhere.has(other.room))
  })

  test('calls are retried singly or by period, with the same webhook-id', async () => {
    const { room, calls } = await hookedRoom(3)
    const first = await callsOf(room)
    const before = calls().length
    const one = first[0]?.id ?? ''
    await platform.admin('POST', `/admin/webhooks/calls/${one}/retry`)
    await eventually('one more', () => calls().length === before + 1)
    assert.equal(calls().at(-1)?.headers['webhook-id'], one)
    assert.equal(calls().at(-1)?.body.data.message, 'message 2')
    await eventually('it is done', async () => (await callsOf(room)).every(({ state }) => state === 'done'))

    const result = await platform.admin('POST', '/admin/webhooks/calls/retry', { room, since: '0' })
    assert.deepEqual([result['count'], result['complete']], [4, true])
    await eventually('all again', () => calls().length === before + 5)
    const again = calls().slice(-4)
    assert.deepEqual(new Set(again.map(({ headers }) => headers['webhook-id'])), new Set(first.map(({ id }) => id)))
    assert.deepEqual(
      again.flatMap(({ body }) => body.data.message ?? []),
      ['message 0', 'message 1', 'message 2'],
    )
    await eventually('the tries are counted', async () => (await callsOf(room)).every(({ tries }) => tries >= 2))

    // Times can be numbers, as in the result.
    const body = { room, since: 0, until: result['until'] }
    const earlier = await platform.admin('POST', '/admin/webhooks/calls/retry', body)
    assert.deepEqual([earlier['count'], earlier['until']], [0, result['until']], 'retries count as queued later')
  })

  test('a retried call contains only the stub of a deleted message', async () => {
    const { room, calls } = await hookedRoom(1)
    const id = (await callsOf(room))[0]?.id ?? ''
    const sent = calls().find(({ headers }) => headers['webhook-id'] === id)
    assert.equal(sent?.body.data.message, 'message 0')
    await platform.admin('DELETE', `/rooms/${room}/messages/${sent.body.data._id}`)
    await eventually('the webhook gets the deletion', () =>
      calls().some(({ body }) => body.event === 'MESSAGE_DELETED'),
    )
    const before = calls().length
    await platform.admin('POST', `/admin/webhooks/calls/${id}/retry`)
    await eventually('one more', () => calls().length === before + 1)
    const { headers, body } = calls().at(-1) ?? assert.fail()
    assert.deepEqual([headers['webhook-id'], body.data._id], [id, sent.body.data._id])
    assert.deepEqual([body.data.isDeleted, 'message' in body.data], [true, false])
  })

  test('keeps no user text of a completed call, and removes the response with the message', async () => {
    platform.hooks.behave = ({ body }) => {
      if (body.event === 'MESSAGE') return { body: `{"echo":"${body.data.message}"}` }
      return body.event === 'ROOM' ? { status: 400 } : undefined
    }
    const { room } = await platform.newHookedRoom([alice], { name: 'a name in a call' })
    const id = await platform.send(room, alice, { message: 'a secret' })
    await platform.admin('PUT', `/rooms/${room}`, { name: 'another name' })
    const kept = async () => JSON.stringify(await platform.db.outgoingCalls.find({ room }).toArray())
    await eventually('all are over', async () => {
      const calls = await callsOf(room)
      return (
        calls.some(({ event }) => event === 'MESSAGE') &&
        calls.filter(({ event }) => event === 'ROOM').length === 2 &&
        calls.every(({ state }) => state !== 'waiting')
      )
    })
    const texts = await kept()
    assert.equal(texts.split('a secret').length, 2, 'only in the response')
    assert.ok(!/nickname|avatarUrl|another name/.test(texts), texts)
    const letters = (await platform.admin('GET', '/admin/webhooks/failed')) as {
      data: { roomID: string; data: { name?: string } }[]
    }
    assert.deepEqual(
      new Set(letters.data.filter(({ roomID }) => roomID === room).map(({ data }) => data.name)),
      new Set(['another name']),
    )
    await platform.admin('DELETE', `/rooms/${room}/messages/${id}`)
    await eventually('the answer is forgotten', async () => !(await kept()).includes('a secret'))
  })

  test("covers only the caller's app, and refuses invalid queries", async () => {
    const { room } = await hookedRoom(0)
    const [{ id } = assert.fail()] = await callsOf(room)
    const other = await makeApp(platform.servers.mongoUrl, `other than ${platform.app}`)
    const ask = (method: string, path: string, body?: unknown, apiKey = platform.apiKey) =>
      call(platform.gateway.url, method, `/admin/webhooks/calls${path}`, { 'im-api-key': apiKey }, body)
    assert.deepEqual((await ask('GET', '', undefined, other.apiKey)).body.result, { data: [] })
    assert.equal((await ask('POST', `/${id}/retry`, undefined, other.apiKey)).status, 404)
    const ranged = await ask('POST', '/retry', { since: '0' }, other.apiKey)
    assert.equal(ranged.body.result['count'], 0)
    for (const [method, path, status, code] of [
      ['GET', '?since=yesterday', 400, 'INVALID_QUERY'],
      ['GET', '?cursor=x', 400, 'INVALID_QUERY'],
      ['POST', '/nothing/retry', 404, 'WEBHOOK_NOT_FOUND'],
    ] as const) {
      const answer = await ask(method, path)
      assert.deepEqual([answer.status, codeOf(answer.body)], [status, code])
    }
    for (const body of [{ since: 'yesterday' }, { since: true }, { since: 0, until: 1.5 }]) {
      const { status, body: refused } = await ask('POST', '/retry', body)
      assert.equal(status, 400)
      assert.match(JSON.stringify(refused), 'until' in body ? /"until: / : /"since: /)
    }
    const missing = await ask('POST', '/retry', {})
    assert.deepEqual([missing.status, codeOf(missing.body)], [400, 'MISSING_PARAMETER'])
  })
})
