import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { newOperator } from '../../console/test-operator.ts'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** The longest ID: 128 characters of four bytes each, but for the last. */
const longId = (n: number) => `${'𠮷'.repeat(127)}${n}`
/** The longest name in bytes: 256 units of three bytes each. */
const longName = (n: number) => `${'名'.repeat(255)}${n}`

describe('cursors with the longest values lead to the next page', () => {
  let gateway: TestGateway
  let users: TestUser[]
  const rooms = [longId(1), longId(2)]
  beforeAll(async () => {
    gateway = await startTestGateway()
    users = [await gateway.newUser(longId(1)), await gateway.newUser(longId(2))]
    for (const [n, user] of users.entries()) {
      await user.call('POST', '/me/subscribe', { type: 'fcm', token: `token ${n}`, deviceId: '名'.repeat(256) })
    }
    for (const [n, _id] of rooms.entries()) await gateway.newRoom(users, { _id, name: longName(n) })
  })
  afterAll(() => gateway.stop())

  const query = (room: string) => new URLSearchParams({ room, kinds: 'membership' }).toString()
  const ofRoom = encodeURIComponent(longId(1))
  test.each([
    ['rooms by name', '/admin/rooms?sort=name'],
    ['rooms by name, descending', '/admin/rooms?sort=-name'],
    ['rooms by the latest message', '/admin/rooms?'],
    ['members', `/admin/rooms/${ofRoom}/members?`],
    ['users', '/admin/users?'],
    ['devices', '/admin/push/devices?'],
    ['the timeline of a room', `/admin/timeline?${query(longId(1))}`],
    [
      'the timeline of a user',
      `/admin/timeline?${new URLSearchParams({ user: longId(1), kinds: 'membership' }).toString()}`,
    ],
  ])('%s', async (_list, path) => {
    const seen: unknown[] = []
    let cursor: string | undefined
    do {
      const after = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { status, body, text } = await gateway.admin('GET', `${path}&limit=1${after}`)
      assert.equal(status, 200, text)
      seen.push(...body.result.data)
      cursor = body.result.cursor
    } while (cursor !== undefined && seen.length < 10)
    assert.equal(seen.length, 2)
    assert.notDeepEqual(seen[0], seen[1])
  })

  test('operators, by the longest e-mail', async () => {
    const owner = await newOperator(gateway, [{ app: '*', role: 'owner' }])
    const domain = Array.from({ length: 3 }, () => 'd'.repeat(60)).join('.')
    for (const first of ['a', 'b']) {
      const email = `${first.repeat(64)}@${domain}.com`
      const roles = [{ app: gateway.app, role: 'viewer' }]
      assert.equal((await owner.call('POST', '/operators', { email, name: 'x', roles })).status, 200)
    }
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const after = cursor === undefined ? '' : `&cursor=${cursor}`
      const { status, body, text } = await owner.call('GET', `/operators?limit=1${after}`)
      assert.equal(status, 200, text)
      listed.push(...body.result.data.map(({ email }: { email: string }) => email))
      cursor = body.result.cursor
    } while (cursor !== undefined && listed.length < 10)
    assert.ok(listed.some((email) => email.startsWith('a'.repeat(64))))
    assert.ok(listed.some((email) => email.startsWith('b'.repeat(64))))
  })

  test('a list refuses the cursor of another list', async () => {
    const owner = await newOperator(gateway, [{ app: '*', role: 'owner' }])
    const lists = [
      'users?',
      'users?list=lastLogin',
      `rooms/${ofRoom}/members?`,
      'audit?',
      'jobs?',
      'reports?',
      'holds?',
    ]
    const cursors = new Map<string, string>()
    for (const list of ['users?', `rooms/${ofRoom}/members?`, 'audit?']) {
      const { body } = await gateway.admin('GET', `/admin/${list}&limit=1`)
      cursors.set(list, encodeURIComponent(body.result.cursor))
    }
    assert.equal(cursors.size, 3)
    for (const [of, cursor] of cursors) {
      for (const list of [...lists, 'webhooks/calls?']) {
        const { status, body } = await gateway.admin('GET', `/admin/${list}&cursor=${cursor}`)
        assert.deepEqual([status, body.error?.code], list === of ? [200, undefined] : [400, 'INVALID_QUERY'], list)
      }
      assert.equal((await gateway.admin('GET', `/scheduled?cursor=${cursor}`)).status, 400)
      assert.equal((await owner.call('GET', `/operators?cursor=${cursor}`)).status, 400)
      for (const path of ['/threads', '/me/reminders', '/me/bookmarks'])
        assert.equal((await users[0]?.call('GET', `${path}?cursor=${cursor}`))?.status, 400, path)
    }
  })
})
