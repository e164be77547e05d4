import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { keyFingerprint } from '@parley/chat/access/new-token'
import { sealNext } from '@parley/chat/audit/seal-entries'
import { verifyAudit } from '@parley/chat/audit/verify-audit'
import { allOperations } from '@parley/contracts/operations/all'
import type { AuditEntry } from '@parley/contracts/resources/audit-entry'
import { digest } from '@parley/db/apps/apps'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** Write operations that are not audited: they send, or prepare a send. */
const sends = [
  ...['sendMessage', 'sendBatch', 'scheduleMessage', 'streamText'],
  ...['openStream', 'appendStream', 'endStream', 'createFile', 'markUploaded', 'pushToClients', 'tryModeration'],
]

describe('the audit log', () => {
  let gateway: TestGateway
  let alice: TestUser
  let actor: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    actor = `key:${keyFingerprint(digest(gateway.apiKey))}`
  })
  afterAll(() => gateway.stop())

  const list = async (query: string): Promise<AuditEntry[]> => {
    const { status, body } = await gateway.admin('GET', `/admin/audit?${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result.data
  }
  const newRoom = (fields = {}) => gateway.newRoom([alice], fields)
  const newMessage = async (room: string) =>
    (await alice.call('POST', `/rooms/${room}/message`, { message: 'secret text', messageType: 'text' })).body.result
      ._id
  const newScheduled = async () => {
    const message = { room: await newRoom(), message: 'secret text', messageType: 'text' }
    const { body } = await alice.call('POST', '/scheduled', { ...message, sendAtMS: Date.now() + 3_600_000 })
    return body.result.id
  }
  const newCall = async (state: 'failed' | 'done') => {
    const call = {
      ...{ _id: randomUUID(), app: gateway.app, queue: 'q', target: 'https://example.com', state, data: '{}' },
      createdAtMS: Date.now() - 1_000,
    }
    await gateway.chat.db.outgoingCalls.insertOne(call as unknown as OutgoingCallDoc)
    return call._id
  }
  const newReport = async () => {
    const [bob, room] = [await gateway.newUser(), await newRoom()]
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [bob.id] })
    const id = await newMessage(room)
    await bob.call('POST', `/messages/${id}/report`, { reason: 'spam' })
    return (await gateway.admin('GET', `/admin/reports?room=${room}`)).body.result.data[0].id
  }
  type Request = ['POST' | 'PUT' | 'DELETE', string, unknown?]
  const banned = async (room: string, user: string) => gateway.admin('POST', `/blockStatus/room/${room}/${user}`)

  /** One call of each audited operation that changes something, and the subject of its entry. */
  const calls: Record<string, () => Promise<{ request: Request; subject: string }>> = {
    writeMessage: async () => {
      const room = await newRoom()
      const _id = await newMessage(room)
      return {
        request: ['POST', `/rooms/${room}/message`, { _id, message: 'secret text 2' }],
        subject: `message:${_id}`,
      }
    },
    deleteForAll: async () => {
      const room = await newRoom()
      const id = await newMessage(room)
      return { request: ['DELETE', `/rooms/${room}/messages/${id}`], subject: `message:${id}` }
    },
    changeScheduled: async () => {
      const id = await newScheduled()
      const change = { message: 'secret text 2', sendAtMS: Date.now() + 7_200_000 }
      return { request: ['PUT', `/scheduled/${id}`, change], subject: 'user:alice' }
    },
    cancelScheduled: async () => ({
      request: ['DELETE', `/scheduled/${await newScheduled()}`],
      subject: 'user:alice',
    }),
    pinMessage: async () => {
      const id = await newMessage(await newRoom())
      return { request: ['POST', `/messages/${id}/pin`], subject: `message:${id}` }
    },
    unpinMessage: async () => {
      const id = await newMessage(await newRoom())
      await alice.call('POST', `/messages/${id}/pin`)
      return { request: ['DELETE', `/messages/${id}/pin`], subject: `message:${id}` }
    },
    createRoom: async () => {
      const _id = randomUUID()
      return { request: ['POST', '/rooms/', { _id, roomType: 'group', members: ['alice'] }], subject: `room:${_id}` }
    },
    deleteRoom: async () => {
      const room = await newRoom()
      return { request: ['DELETE', `/rooms/${room}`], subject: `room:${room}` }
    },
    updateRoom: async () => {
      const room = await newRoom()
      const change = { status: 0, webhook: 'https://example.com/?secret text' }
      return { request: ['PUT', `/rooms/${room}`, change], subject: `room:${room}` }
    },
    muteUser: async () => ({
      request: ['POST', `/admin/clients/alice/mute/${await newRoom()}`],
      subject: 'user:alice',
    }),
    unmuteUser: async () => {
      const room = await newRoom()
      await gateway.admin('POST', `/admin/clients/alice/mute/${room}`)
      return { request: ['DELETE', `/admin/clients/alice/mute/${room}`], subject: 'user:alice' }
    },
    setNotifications: async () => ({
      request: ['PUT', '/admin/clients/alice/notifications', { level: 'mentions' }],
      subject: 'user:alice',
    }),
    setRoomNotifications: async () => ({
      request: ['PUT', `/admin/clients/alice/notifications/rooms/${await newRoom()}`, { level: 'none' }],
      subject: 'user:alice',
    }),
    addMembers: async () => {
      const [room, bob] = [await newRoom(), await gateway.newUser()]
      return { request: ['POST', `/rooms/${room}/members`, { invitees: [bob.id] }], subject: `room:${room}` }
    },
    removeMembers: async () => {
      const room = await newRoom()
      return { request: ['POST', `/rooms/${room}/delete/members`, { members: ['alice'] }], subject: `room:${room}` }
    },
    setMemberRole: async () => {
      const room = await newRoom()
      const role = { property: 'role', value: 'admin' }
      return { request: ['PUT', `/rooms/${room}/member/alice`, role], subject: `room:${room}` }
    },
    placeHold: async () => {
      const { id } = await gateway.newUser()
      return { request: ['POST', '/admin/holds', { user: id, reason: 'Case 1' }], subject: `user:${id}` }
    },
    liftHold: async () => {
      const room = await newRoom()
      const { body } = await gateway.admin('POST', '/admin/holds', { room, reason: 'Case 1' })
      return { request: ['DELETE', `/admin/holds/${body.result._id}`], subject: `room:${room}` }
    },
    exportUser: async () => {
      const { id } = await gateway.newUser()
      return { request: ['POST', `/admin/clients/${id}/export`], subject: `user:${id}` }
    },
    eraseUser: async () => {
      const { id } = await gateway.newUser()
      return { request: ['DELETE', `/admin/clients/${id}`], subject: `user:${id}` }
    },
    saveUser: async () => {
      const body = { _id: randomUUID(), issueAccessToken: true, nickname: 'secret text', isAdmin: true }
      return { request: ['POST', '/admin/clients', body], subject: `user:${body._id}` }
    },
    saveUsers: async () => {
      const _id = randomUUID()
      return {
        request: ['POST', '/admin/clients/list', { data: [{ _id, nickname: 'secret text' }] }],
        subject: `user:${_id}`,
      }
    },
    saveGroup: async () => {
      const _id = randomUUID()
      const group = { _id, nickname: 'Team', avatarUrl: '', members: ['alice'] }
      return { request: ['POST', '/admin/groups', group], subject: `group:${_id}` }
    },
    deleteGroup: async () => {
      const _id = randomUUID()
      await gateway.admin('POST', '/admin/groups', { _id, nickname: 'Team', avatarUrl: '', members: ['alice'] })
      return { request: ['DELETE', `/admin/groups/${_id}`], subject: `group:${_id}` }
    },
    bindToken: async () => {
      const { id } = await gateway.newUser()
      const body = { token: `secret text ${id}`, expirationDate: '2099-01-01T00:00:00Z' }
      return { request: ['PUT', `/admin/clients/${id}/token`, body], subject: `user:${id}` }
    },
    revokeTokens: async () => {
      const { id } = await gateway.newUser()
      return { request: ['DELETE', `/admin/clients/${id}/token`, {}], subject: `user:${id}` }
    },
    endToken: async () => {
      const { id } = await gateway.newUser()
      const { data } = (await gateway.admin('GET', `/admin/clients/${id}/tokens`)).body.result
      return { request: ['DELETE', `/admin/clients/${id}/tokens/${data[0].id}`], subject: `user:${id}` }
    },
    removeDevice: async () => {
      const user = await gateway.newUser()
      await user.call('POST', '/me/subscribe', { type: 'fcm', token: `secret text ${user.id}`, deviceId: 'a/b' })
      return { request: ['DELETE', `/admin/clients/${user.id}/devices/a%2Fb`], subject: `user:${user.id}` }
    },
    banMember: async () => {
      const room = await newRoom()
      return { request: ['POST', `/blockStatus/room/${room}/alice`], subject: `room:${room}` }
    },
    unbanMember: async () => {
      const room = await newRoom()
      await banned(room, 'alice')
      return { request: ['DELETE', `/blockStatus/room/${room}/alice`], subject: `room:${room}` }
    },
    banUser: async () => {
      const { id } = await gateway.newUser()
      return { request: ['POST', `/admin/clients/${id}/ban`, {}], subject: `user:${id}` }
    },
    unbanUser: async () => {
      const { id } = await gateway.newUser()
      await gateway.admin('POST', `/admin/clients/${id}/ban`, {})
      return { request: ['DELETE', `/admin/clients/${id}/ban`], subject: `user:${id}` }
    },
    decideReport: async () => {
      const id = await newReport()
      return { request: ['POST', `/admin/reports/${id}/decide`, { decision: 'delete' }], subject: `report:${id}` }
    },
    setConfig: async () => {
      const body = { MODERATE: null, greeting: 'hello', webhookKeys: { a: 'https://example.com/?secret text' } }
      return { request: ['POST', '/config', body], subject: 'config:MODERATE greeting webhookKeys' }
    },
    deleteConfigKey: async () => {
      await gateway.admin('POST', '/config', { going: 1 })
      return { request: ['DELETE', '/config/going'], subject: 'config:going' }
    },
    retryFailedWebhook: async () => {
      const id = await newCall('failed')
      return { request: ['POST', `/admin/webhooks/failed/${id}/retry`], subject: `call:${id}` }
    },
    retryWebhookCall: async () => {
      const id = await newCall('done')
      return { request: ['POST', `/admin/webhooks/calls/${id}/retry`], subject: `call:${id}` }
    },
    retryWebhookCalls: async () => {
      await newCall('failed')
      return { request: ['POST', '/admin/webhooks/calls/retry', { since: 0 }], subject: 'call:' }
    },
    openWebhookReceiver: async () => ({ request: ['POST', '/admin/webhooks/receivers', {}], subject: 'call:' }),
    closeWebhookReceiver: async () => {
      const { id } = (await gateway.admin('POST', '/admin/webhooks/receivers', {})).body.result
      return { request: ['DELETE', `/admin/webhooks/receivers/${id}`], subject: `call:${id}` }
    },
    addKey: async () => ({ request: ['POST', '/admin/keys', { name: 'a key' }], subject: 'key:' }),
    revokeKey: async () => {
      const { id } = (await gateway.admin('POST', '/admin/keys', { name: randomUUID() })).body.result
      return { request: ['DELETE', `/admin/keys/${id}`], subject: `key:${id}` }
    },
  }

  test('every write operation for API keys is audited, except sends', () => {
    const writing = allOperations.filter(({ scope }) => scope?.endsWith(':write'))
    const audited = writing.filter(({ audit }) => audit).map(({ id }) => id)
    assert.deepEqual(audited.toSorted(), Object.keys(calls).toSorted())
    assert.deepEqual(
      writing
        .map(({ id }) => id)
        .filter((id) => !audited.includes(id))
        .toSorted(),
      sends.toSorted(),
    )
    assert.deepEqual(
      allOperations.filter(({ audit, scope }) => audit && !scope?.endsWith(':write')),
      [],
    )
  })

  for (const [action, prepare] of Object.entries(calls)) {
    test(`${action} by a key leaves one entry: actor, address, subject and request; no secret and no text`, async () => {
      const { request, subject } = await prepare()
      const { status, headers, text } = await gateway.admin(...request)
      assert.ok(status === 200 || status === 202, text)
      const id = headers.get('x-request-id')
      const found = (await list(`action=${action}`)).filter((entry) => entry.request === id)
      assert.equal(found.length, 1, JSON.stringify(await list('limit=3')))
      const [entry] = found
      assert.ok(entry)
      assert.deepEqual([entry.actor, entry.address], [actor, '127.0.0.1'])
      assert.ok(`${entry.subject.kind}:${entry.subject.id}`.startsWith(subject), JSON.stringify(entry.subject))
      assert.ok(!JSON.stringify(entry).includes('secret text'), JSON.stringify(entry))
      assert.ok(Math.abs(entry.atMS - Date.now()) < 600_000)
    })
  }

  test('refused calls and user calls leave none', async () => {
    const before = (await list('limit=100')).length
    const room = await alice.call('POST', `/rooms/none/message`, { message: 'x', messageType: 'text' })
    assert.equal(room.status, 404)
    assert.equal((await gateway.admin('DELETE', '/admin/clients/none')).status, 404)
    assert.equal((await gateway.admin('DELETE', '/config/none')).status, 404)
    assert.equal((await gateway.admin('PUT', '/rooms/none', { name: 'x' })).status, 404)
    await alice.call('POST', '/blockStatus/my/none')
    assert.equal((await list('limit=100')).length, before)
  })

  test('GET /admin/audit refuses a subject without a kind, and names the field', async () => {
    for (const subject of ['alice', 'alice:x', ':alice', 'user']) {
      const { status, body } = await gateway.admin('GET', `/admin/audit?subject=${subject}`)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'], subject)
      assert.match(body.error.message, /^subject: expected kind:ID/)
    }
    assert.equal((await gateway.admin('GET', '/admin/audit?subject=user:none')).status, 200)
  })

  test('a call for several users leaves an entry for each', async () => {
    const users = Array.from({ length: 30 }, (_, i) => ({ _id: `listed ${i}`, nickname: 'x', isAdmin: i === 29 }))
    await gateway.admin('POST', '/admin/clients/list', { data: users })
    for (const { _id, isAdmin } of users) {
      const found = await list(`subject=${encodeURIComponent(`user:${_id}`)}&action=saveUsers`)
      assert.deepEqual(
        found.map(({ after }) => after),
        [{ isAdmin, changed: ['nickname'] }],
      )
    }
  })

  test('a room entry has the changed fields before and after, without the webhook URL', async () => {
    const room = await newRoom({ name: 'before' })
    await gateway.admin('PUT', `/rooms/${room}`, { name: 'after', status: 0, webhook: 'https://example.com/a?b' })
    const [entry] = await list(`subject=room:${room}&action=updateRoom`)
    assert.deepEqual(entry?.before, { name: 'before', status: 1 })
    assert.deepEqual(entry?.after, { name: 'after', status: 0, webhook: '(changed)' })
    await gateway.admin('POST', '/config', { greeting: 'hi', MODERATE: null })
    const [config] = await list('action=setConfig')
    assert.deepEqual(
      [config?.before, config?.after],
      [
        { greeting: 'hello', MODERATE: '(private)' },
        { greeting: 'hi', MODERATE: '(private)' },
      ],
    )
  })

  test('GET /admin/audit filters by actor, subject, action and time, in pages without gap or repeat', async () => {
    const all: string[] = []
    let cursor: string | undefined
    do {
      const more: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { body } = await gateway.admin('GET', `/admin/audit?limit=7&actor=${actor}${more}`)
      all.push(...body.result.data.map(({ id }: AuditEntry) => id))
      cursor = body.result.cursor
    } while (cursor !== undefined)
    assert.ok(all.length > Object.keys(calls).length)
    assert.equal(new Set(all).size, all.length)
    assert.deepEqual(await list('actor=key:none'), [])
    const [latest] = await list('limit=1')
    assert.ok(latest)
    assert.deepEqual(await list(`since=${latest.atMS + 1}`), [])
    assert.equal((await list(`until=${latest.atMS}&limit=1`))[0]?.id, latest.id)
    for (const bad of ['since=yesterday', 'limit=0', 'cursor=x']) {
      assert.equal((await gateway.admin('GET', `/admin/audit?${bad}`)).body.error.code, 'INVALID_QUERY', bad)
    }
    const other = await startTestGateway({ database: gateway.chat.db.mongo.databaseName, app: 'another app' })
    assert.equal((await other.admin('GET', '/admin/audit')).status, 401)
    await other.stop()
  })

  test('concurrent changes and sealers make one chain, in the order of the feed', async () => {
    const { chat, app } = gateway
    const second = await gateway.another()
    const room = await newRoom()
    const changes = Array.from({ length: 30 }, (_, i) =>
      (i % 2 === 0 ? gateway : second).admin('PUT', `/rooms/${room}`, { name: `${i}` }),
    )
    const seal = async (by: TestGateway) => {
      while (await sealNext(by.chat, app)) continue
    }
    await Promise.all([...changes, seal(gateway), seal(second)])
    await Promise.all([seal(gateway), seal(second)])
    const verified = await verifyAudit(chat.db, app)
    assert.deepEqual(verified.faults, [])
    assert.equal(verified.unsealed, 0)
    assert.ok(verified.entries > 60 && verified.links > 0)
    assert.deepEqual((await verifyAudit(chat.db, app, verified.head)).faults, [])
    await chat.outbox.drained()
    await second.chat.outbox.drained()
    const { body } = await gateway.admin('GET', '/admin/events?after=0-0&types=audit&limit=100')
    const events = body.result.data as {
      event: string
      user?: string
      data: AuditEntry & { chain: { seq: number } }
    }[]
    assert.ok(events.length > 60 && events.every(({ event, user }) => event === 'audit' && user === undefined))
    const seqs = events.map(({ data }) => data.chain.seq)
    assert.deepEqual(
      seqs,
      seqs.toSorted((a, b) => a - b),
    )
    await second.stop()
  })
})
