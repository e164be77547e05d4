import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { TimelineEntry } from '@parley/contracts/resources/timeline-entry'
import { key } from '@parley/db/keys'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { recordDecisions, recordResults } from '@parley/db/push/push-decisions'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('GET /admin/timeline', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  let ids: string[]
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
    room = await gateway.newRoom([alice, bob], { _id: 'support 1', owner: 'alice' })
    ids = []
    for (const message of ['secret one', 'secret two', 'secret three']) ids.push(await send(alice, room, message))
    await bob.call('POST', `/rooms/${room}/message`, { message: 'secret four', messageType: 'text' })
    const { app, chat } = gateway
    const at = new Date()
    const content = (i: number) => key(app, ids[i] ?? '')
    await recordDecisions(chat.db, [
      { _id: key(app, ids[0] ?? '', '0'), at, users: { MUTED: ['bob'] } },
      {
        _id: key(app, ids[1] ?? '', '0'),
        at,
        devices: { CONNECTED: [key('bob', 'tablet')], DUE: [key('bob', 'phone'), key('carol', 'phone')] },
      },
    ])
    const result = {
      user: 'bob',
      device: 'phone',
      network: 'apns' as const,
      as: 'sent' as const,
      atMS: at.getTime() + 5,
    }
    await recordResults(chat.db, [
      { _id: `${content(1)}\0${randomUUID()}`, at, results: [result, { ...result, user: 'carol', as: 'refused' }] },
    ])
    const call = {
      ...{ _id: `hook_${ids[1]}`, app, kind: 'webhook', queue: 'q', target: 't', order: 1, room, event: 'MESSAGE' },
      ...{ client: 'alice', state: 'failed', tries: 4, lastError: 'status 500', createdAtMS: Date.now(), failedAt: at },
    }
    await chat.db.outgoingCalls.insertOne(call as unknown as OutgoingCallDoc)
    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: ids[1] })
    await bob.call('POST', `/messages/${ids[2]}/report`, { reason: 'spam' })
    await gateway.admin('POST', `/blockStatus/room/${encodeURIComponent(room)}/bob`)
    await gateway.admin('POST', '/admin/clients/bob/ban', {})
  })
  afterAll(() => gateway.stop())

  const send = async (by: TestUser, to: string, message: string): Promise<string> =>
    (await by.call('POST', `/rooms/${to}/message`, { message, messageType: 'text' })).body.result._id
  const read = async (query: Record<string, string>, apiKey = gateway.apiKey) => {
    const path = `/admin/timeline?${new URLSearchParams(query).toString()}`
    const { status, body } = await gateway.anonymous('GET', path, undefined, { 'im-api-key': apiKey })
    assert.equal(status, 200, JSON.stringify(body))
    return body.result as { data: TimelineEntry[]; cursor?: string; withheld: { kind: string; scope: string }[] }
  }
  const codes = ({ data }: { data: TimelineEntry[] }) => data.map(({ code }) => code)

  test('shows messages, pushes, calls, reads, reports, bans and changes of a user in a room, with reasons', async () => {
    const page = await read({ user: 'bob', room })
    const found = codes(page)
    for (const code of [
      ...['MESSAGE_RECEIVED', 'MESSAGE_SENT', 'PUSH_MUTED', 'PUSH_CONNECTED', 'PUSH_SENT', 'CALL_FAILED', 'READ'],
      ...['JOINED', 'BANNED_IN_ROOM', 'BANNED_FROM_APP', 'REPORT_OPEN', 'AUDIT'],
    ]) {
      assert.ok(found.includes(code), `${code} of ${found.join(', ')}`)
    }
    const reasons = page.data.map(({ reason }) => reason)
    assert.ok(reasons.includes('alice sent a message of type text (seq 2); bob has read it'), reasons.join('\n'))
    assert.ok(reasons.includes('bob reported a message of alice: spam; it is open'))
    // Pushes are above their message.
    const pushed = page.data.flatMap(({ refs }) => (refs.message === ids[1] ? [refs] : []))
    assert.deepEqual(
      pushed.map(({ device = '' }) => device),
      ['phone', 'tablet', ''],
    )
    assert.ok(!found.includes('PUSH_REFUSED'), 'of another user')
    assert.ok(!JSON.stringify(page).includes('secret'), 'no text of a message')
    assert.deepEqual(page.withheld, [])
  })

  test('covers all rooms of a user, and all members of a room', async () => {
    const quiet = await gateway.newRoom([alice])
    const id = await send(alice, quiet, 'x')
    const ofAlice = await read({ user: 'alice' })
    assert.ok(ofAlice.data.some(({ refs }) => refs.message === id))
    for (const code of ['REPORT_OPEN', 'TOKEN_ISSUED']) assert.ok(codes(ofAlice).includes(code), code)
    assert.deepEqual(codes(await read({ user: 'alice', room: quiet, kinds: 'message' })), ['MESSAGE_SENT'])
    const ofRoom = await read({ room })
    assert.deepEqual(
      [codes(ofRoom).filter((code) => code === 'JOINED').length, codes(ofRoom).includes('BANNED_IN_ROOM')],
      [2, true],
    )
    assert.ok(!codes(ofRoom).some((code) => code.startsWith('PUSH') || code.startsWith('TOKEN')))
  })

  test('follows a cursor to the end without gap or repeat', async () => {
    const whole = await read({ user: 'bob', limit: '100' })
    const seen: TimelineEntry[] = []
    let cursor: string | undefined
    do {
      const page = await read({ user: 'bob', limit: '2', ...(cursor !== undefined && { cursor }) })
      seen.push(...page.data)
      cursor = page.cursor
    } while (cursor !== undefined)
    assert.deepEqual(seen, whole.data)
  })

  test('filters by time, device and kind', async () => {
    assert.deepEqual(codes(await read({ user: 'bob', to: '1000', from: '0' })), [])
    const [, second] = (await read({ user: 'bob', room, kinds: 'message' })).data.toReversed()
    const at = `${second?.timeMS}`
    assert.deepEqual(
      (await read({ user: 'bob', room, kinds: 'message', from: at, to: at })).data.map(({ refs }) => refs.message),
      [ids[1]],
    )
    const ofPhone = await read({ user: 'bob', room, device: 'phone', kinds: 'push' })
    assert.deepEqual(codes(ofPhone).toSorted(), ['PUSH_MUTED', 'PUSH_SENT'])
    for (const [bad, field] of [
      [{}, 'user'],
      [{ room, device: 'phone' }, 'device'],
      [{ user: 'bob', kinds: 'push,all' }, 'kinds'],
      [{ user: 'bob', from: '2', to: '1' }, 'to'],
      [{ user: 'bob', cursor: 'x' }, 'cursor'],
      [{ user: 'bob', from: 'monday' }, 'from'],
    ] as const) {
      const query = new URLSearchParams(bad).toString()
      const { status, body } = await gateway.admin('GET', `/admin/timeline?${query}`)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'], query)
      assert.match(body.error.message, new RegExp(`^(query: )?${field}`), query)
    }
    const { error } = (await gateway.admin('GET', '/admin/timeline?user=none')).body
    assert.deepEqual([error.code, error.message], ['CLIENT_NOT_FOUND', 'user: no user "none"'])
    assert.equal((await gateway.admin('GET', '/admin/timeline?room=none')).body.error.code, 'ROOM_NOT_FOUND')
  })

  test('withholds kinds outside the scopes of the key, and names them', async () => {
    const body = { name: 'support', scopes: ['messages:read', 'rooms:read'] }
    const { apiKey } = (await gateway.admin('POST', '/admin/keys', body)).body.result
    const page = await read({ user: 'bob', room }, apiKey)
    assert.deepEqual(new Set(page.data.map(({ kind }) => kind)), new Set(['message', 'read', 'membership']))
    assert.deepEqual(page.withheld.find(({ kind }) => kind === 'audit')?.scope, 'keys:read')
  })

  test('does not show other apps', async () => {
    const { db } = gateway.chat
    const call = { room, createdAtMS: Date.now(), state: 'done', kind: 'webhook', event: 'MESSAGE', client: 'bob' }
    await db.outgoingCalls.insertOne({ ...call, _id: 'hook_other', app: 'other' } as unknown as OutgoingCallDoc)
    await db.messages.updateMany({ app: 'other' }, { $set: { room } })
    assert.ok(!JSON.stringify(await read({ user: 'bob' })).includes('hook_other'))
    const other = await startTestGateway()
    try {
      const { status } = await other.admin('GET', '/admin/timeline?user=bob')
      assert.equal(status, 404)
    } finally {
      await other.stop()
    }
  })
})
