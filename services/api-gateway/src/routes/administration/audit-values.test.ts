import assert from 'node:assert/strict'
import type { AuditEntry } from '@parley/contracts/resources/audit-entry'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('values before and after a change, in the audit log', () => {
  let gateway: TestGateway
  let alice: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
    room = await gateway.newRoom([alice, await gateway.newUser('bob')], { owner: 'alice' })
  })
  afterAll(() => gateway.stop())

  type Change = ['POST' | 'PUT' | 'DELETE', string, unknown?]
  /** The values of the entry of a call. */
  const valuesOf = async (...change: Change) => {
    const { status, headers, text } = await gateway.admin(...change)
    assert.equal(status, 200, text)
    const { data } = (await gateway.admin('GET', '/admin/audit?limit=100')).body.result
    const entry = data.find(({ request }: AuditEntry) => request === headers.get('x-request-id'))
    return [entry.before, entry.after]
  }
  const say = async (message: string): Promise<string> =>
    (await alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' })).body.result._id
  const tokensOf = async (user: string): Promise<string[]> =>
    (await gateway.admin('GET', `/admin/clients/${user}/tokens`)).body.result.data.map(({ id }: { id: string }) => id)

  test('messages: room and sender, what was pinned, edited, recalled or deleted, but no text', async () => {
    const id = await say('one')
    const of = { room, sender: 'alice' }
    const pin = `/messages/${id}/pin`
    const edit = ['POST', `/rooms/${room}/message`] as const
    assert.deepEqual(await valuesOf('POST', pin), [{ ...of, pinned: false }, { pinned: true }])
    assert.deepEqual(await valuesOf('POST', pin), [of, {}])
    assert.deepEqual(await valuesOf('DELETE', pin), [{ ...of, pinned: true }, { pinned: false }])
    assert.deepEqual(await valuesOf(...edit, { _id: id, message: 'two' }), [of, { content: '(changed)' }])
    assert.deepEqual(await valuesOf(...edit, { _id: id, messageType: 'recall' }), [
      { ...of, messageType: 'text' },
      { messageType: 'recall', content: '(changed)' },
    ])
    const deletion = `/rooms/${room}/messages`
    assert.deepEqual(await valuesOf('DELETE', `${deletion}/${await say('x')}`), [
      { ...of, messageType: 'text' },
      undefined,
    ])
    for (const text of ['y', 'z']) await say(text)
    assert.deepEqual(await valuesOf('DELETE', `${deletion}/_all`), [{ messages: 3 }, undefined])
  })

  test('mutes and notification settings', async () => {
    const mute = `/admin/clients/alice/mute/${room}`
    assert.deepEqual(await valuesOf('POST', mute), [
      { room, muted: false },
      { room, muted: true },
    ])
    assert.deepEqual(await valuesOf('POST', mute), [{ room }, { room }])
    assert.deepEqual(await valuesOf('DELETE', mute), [
      { room, muted: true },
      { room, muted: false },
    ])
    const [mentions, none] = [{ level: 'mentions' }, { level: 'none' }]
    for (const [path, of] of [
      ['/admin/clients/alice/notifications', {}],
      [`/admin/clients/alice/notifications/rooms/${room}`, { room }],
    ] as const) {
      assert.deepEqual(await valuesOf('PUT', path, mentions), [
        { ...of, settings: {} },
        { ...of, settings: mentions },
      ])
      assert.deepEqual(await valuesOf('PUT', path, none), [
        { ...of, settings: mentions },
        { ...of, settings: none },
      ])
    }
  })

  test('groups and bans', async () => {
    const [team, crew] = [
      { _id: 'team', nickname: 'Team', avatarUrl: '', members: ['alice'] },
      { _id: 'team', nickname: 'Crew', avatarUrl: '', members: ['alice', 'bob'] },
    ]
    const shown = ({ nickname, avatarUrl, members: users }: typeof team) => {
      return { nickname, avatarUrl, count: users.length, users }
    }
    assert.deepEqual(await valuesOf('POST', '/admin/groups', team), [undefined, shown(team)])
    assert.deepEqual(await valuesOf('POST', '/admin/groups', crew), [shown(team), shown(crew)])
    assert.deepEqual(await valuesOf('DELETE', '/admin/groups/team'), [shown(crew), undefined])
    const ban = { blockee: 'bob', untilMS: Date.now() + 3_600_000 }
    const path = `/blockStatus/room/${room}/bob`
    assert.deepEqual(await valuesOf('POST', path, { untilMS: ban.untilMS }), [undefined, ban])
    assert.deepEqual(await valuesOf('DELETE', path), [ban, undefined])
  })

  test('a decided report', async () => {
    const message = await say('rude')
    const eve = await gateway.newUser('eve')
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['eve'] })
    await eve.call('POST', `/messages/${message}/report`, { reason: 'rude' })
    const [{ id }] = (await gateway.admin('GET', '/admin/reports?status=open')).body.result.data
    assert.deepEqual(await valuesOf('POST', `/admin/reports/${id}/decide`, { decision: 'dismiss' }), [
      { status: 'open' },
      { status: 'decided', decision: 'dismiss', room, message, sender: 'alice' },
    ])
  })

  test('rights of users, and tokens by fingerprint', async () => {
    await gateway.newUser('carl')
    const tokens = await tokensOf('carl')
    const expirationDate = '2099-01-01T00:00:00.000Z'
    const bound = { token: 'replaced', expirationDate }
    const path = '/admin/clients/carl/token'
    assert.deepEqual(await valuesOf('PUT', path, { token: 'first of carl', expirationDate }), [{ tokens }, bound])
    const body = { _id: 'carl', token: 'second of carl', expirationDate, isAdmin: true }
    const [first, second] = [await tokensOf('carl'), await valuesOf('POST', '/admin/clients', body)]
    assert.deepEqual(second, [
      { isAdmin: false, tokens: first },
      { isAdmin: true, changed: [], ...bound },
    ])
    const held = await tokensOf('carl')
    assert.deepEqual(await valuesOf('DELETE', path, {}), [{ tokens: held }, { revokedTokens: 1 }])
    const data = [{ _id: 'carl', isAdmin: false, nickname: 'Carl' }]
    assert.deepEqual(await valuesOf('POST', '/admin/clients/list', { data }), [
      { isAdmin: true },
      { isAdmin: false, changed: ['nickname'] },
    ])
  })
})
