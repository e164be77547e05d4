import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importedMessageId } from '@parley/chat/import/known-ids'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'
import { importLines, type Line } from './test-import.ts'

const hour = 3_600_000
const begin = Date.now() - 24 * hour

describe('a second import of a file leaves undone what users have undone since the first', () => {
  let gateway: TestGateway
  let folder: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    folder = await mkdtemp(join(tmpdir(), 'import-undone-'))
    await mkdir(join(folder, 'files'))
    await writeFile(join(folder, 'files', 'f1-a.txt'), 'hello')
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await gateway.stop()
  })

  const by = async (user: TestUser, ...call: Parameters<TestUser['call']>) => {
    const { status, body } = await user.call(...call)
    assert.ok(status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(body)}`)
    return body.result
  }
  const user = (_id: string, more: Line = {}): Line => ({ type: 'user', _id, nickname: `N ${_id}`, ...more })
  const member = (room: string, name: string): Line => ({ type: 'membership', room, user: name })
  const message = (room: string, n: number, sender: string, more: Line = {}): Line => ({
    ...{ type: 'message', _id: `m${n}`, room, sender, message: `message ${n}`, messageType: 'text' },
    ...{ createdAt: begin + n, ...more },
  })

  test('an erased user stays erased, and their direct rooms closed', async () => {
    const lines = [
      ...['ann', 'bob', 'cat'].map((name) => user(name)),
      { type: 'file', _id: 'f1', owner: 'bob', name: 'a.txt', size: 5 },
      { type: 'room', _id: 'pair', roomType: 'direct', members: ['ann', 'bob'] },
      { type: 'room', _id: 'team', roomType: 'group', owner: 'bob', managers: ['ann'] },
      ...['ann', 'bob'].flatMap((name) => [member('pair', name), member('team', name)]),
      message('pair', 1, 'ann'),
      message('pair', 2, 'bob', { attachments: [{ fileID: 'f1' }] }),
      message('team', 1, 'bob'),
      { type: 'device', user: 'bob', deviceId: 'phone', network: 'fcm', token: 'of bob' },
      { type: 'pref', user: 'bob', key: 'theme', data: 'dark' },
      { type: 'block', blocker: 'bob', blockee: 'cat' },
      { type: 'invitation', room: 'team', invitee: 'cat', inviter: 'bob' },
      { type: 'bookmark', user: 'bob', room: 'pair', message: 'm1' },
      { type: 'deletion', user: 'bob', room: 'pair', message: 'm1' },
    ]
    await importLines(gateway, folder, lines)
    assert.equal((await gateway.admin('DELETE', '/admin/clients/bob?content=delete')).status, 200)
    const rooms = [
      ...[{ type: 'room', _id: 'later', roomType: 'direct', members: ['bob', 'cat'] }],
      ...['bob', 'cat'].map((name) => member('later', name)),
    ]
    const withMore = [
      ...lines,
      ...rooms,
      message('pair', 3, 'ann'),
      message('team', 2, 'ann'),
      message('later', 1, 'cat'),
    ]
    for (const again of [lines, withMore, withMore]) {
      await importLines(gateway, folder, again)
      assert.equal((await gateway.admin('GET', '/admin/clients/bob')).status, 404)
      const { db } = gateway.chat
      const ofBob = { userKey: key(gateway.app, 'bob') }
      for (const found of [db.memberships, db.devices, db.prefs, db.bookmarks]) {
        assert.equal(await found.countDocuments(ofBob), 0)
      }
      assert.equal(await db.files.countDocuments({ app: gateway.app, owner: 'bob' }), 0)
    }
    const ann = await gateway.newUser('ann')
    const { memberCount, status } = await by(ann, 'GET', '/rooms/pair')
    assert.deepEqual([memberCount, status], [1, 0])
    const { data } = await by(ann, 'GET', '/rooms/pair/messages/v3')
    assert.deepEqual(
      data.map((one: Line) => [one['message'], one['isDeleted']]),
      [
        ['message 3', false],
        [undefined, true],
        ['message 1', false],
      ],
    )
    assert.equal((await by(ann, 'GET', '/rooms/team')).owner, 'ann')
    const cat = await gateway.newUser('cat')
    assert.equal((await by(cat, 'GET', '/rooms/later')).memberCount, 1)

    // A new user with the same ID gets none of it.
    const second = await gateway.newUser('bob')
    const fresh = await gateway.newRoom([ann, second], { roomType: 'direct' })
    await importLines(gateway, folder, withMore)
    assert.equal((await by(ann, 'GET', '/rooms/pair')).memberCount, 1)
    assert.equal((await by(ann, 'GET', `/rooms/${fresh}`)).memberCount, 2)
  })

  test('declined, cancelled, removed and changed things stay so, and changed lines are imported', async () => {
    const of = { user: 'dan', room: 'den', message: 'm1' }
    const later = { room: 'den', sender: 'dan', messageType: 'text', sendAt: Date.now() + hour }
    const lines = (theme: string): Line[] => [
      ...['dan', 'eve', 'fay'].map((name) => user(name)),
      { type: 'room', _id: 'den', roomType: 'group', owner: 'eve' },
      ...['dan', 'eve'].map((name) => member('den', name)),
      message('den', 1, 'eve'),
      { type: 'invitation', room: 'den', invitee: 'fay' },
      { type: 'scheduled', _id: 's1', message: 'later', ...later },
      { type: 'bookmark', ...of },
      { type: 'reminder', ...of, remindAt: Date.now() + hour },
      { type: 'block', blocker: 'dan', blockee: 'eve' },
      { type: 'ban', room: 'den', blockee: 'dan' },
      { type: 'device', user: 'dan', deviceId: 'phone', network: 'fcm', token: 'of dan' },
      { type: 'pref', user: 'dan', key: 'theme', data: theme },
      { type: 'config', key: 'announcement', data: 'hello' },
    ]
    const first = lines('dark')
    await importLines(gateway, folder, first)
    const [dan, fay] = [await gateway.newUser('dan'), await gateway.newUser('fay')]
    const id = importedMessageId(gateway.app, 'den', 'm1')
    await by(fay, 'DELETE', '/rooms/den/invitations')
    const [{ id: scheduled }] = (await by(dan, 'GET', '/scheduled')).data
    await by(dan, 'DELETE', `/scheduled/${scheduled}`)
    await by(dan, 'DELETE', `/me/bookmarks/${id}`)
    await by(dan, 'DELETE', `/me/reminders/${id}`)
    await by(dan, 'DELETE', '/blockStatus/my/eve')
    assert.equal((await gateway.admin('DELETE', '/blockStatus/room/den/dan')).status, 200)
    await by(dan, 'POST', '/me/unsubscribe', { deviceId: 'phone' })
    await by(dan, 'POST', '/me/pref/theme', { data: 'light' })
    assert.equal((await gateway.admin('POST', '/config', { announcement: 'changed' })).status, 200)
    const state = async () => [
      ...[(await by(fay, 'GET', '/invitations')).data, (await by(dan, 'GET', '/scheduled')).data],
      ...[(await by(dan, 'GET', '/me/bookmarks')).data, (await by(dan, 'GET', '/me/reminders')).data],
      ...[await by(dan, 'GET', '/blockStatus/my'), await by(dan, 'GET', '/me/pref')],
      await gateway.chat.db.devices.countDocuments({ userKey: key(gateway.app, 'dan') }),
      await gateway.chat.db.bans.countDocuments({ app: gateway.app, room: 'den' }),
      (await gateway.admin('GET', '/config')).body.result.announcement,
    ]
    const before = await state()
    await importLines(gateway, folder, first)
    assert.deepEqual(await state(), before)
    await importLines(gateway, folder, lines('blue'))
    assert.deepEqual(await by(dan, 'GET', '/me/pref'), { theme: 'blue' })
  })
})
