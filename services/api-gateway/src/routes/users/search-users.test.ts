import assert from 'node:assert/strict'
import { usersNamed } from '@parley/db/users/named-users'
import { searchedNames } from '@parley/db/users/searched-names'
import { newUserDoc } from '@parley/db/users/users'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { recorded } from '../../test-profiler.ts'

describe('GET /users/search', () => {
  let gateway: TestGateway
  let alice: TestUser
  const people: Record<string, TestUser> = {}
  const nicknames: Record<string, string> = {
    anna: 'Anna Müller',
    anton: 'ANTON',
    jose: 'José Ángel',
    strasse: 'Straße',
    full: 'Ａｎｎａｂｅｌ',
    wei: '王小伟',
    plain: '',
  }
  let shared: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice', { nickname: 'Alice' })
    for (const [id, nickname] of Object.entries(nicknames)) people[id] = await gateway.newUser(id, { nickname })
    await gateway.newUser('stranger', { nickname: 'Anna Stranger' })
    shared = await gateway.newRoom([alice, ...Object.values(people)])
  })
  afterAll(() => gateway.stop())

  const search = async (q: string, more = '', by = alice) =>
    by.call('GET', `/users/search?q=${encodeURIComponent(q)}${more}`)
  const found = async (q: string, more = '', by = alice): Promise<string[]> => {
    const { status, body } = await search(q, more, by)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result.data.map(({ _id }: { _id: string }) => _id).toSorted()
  }
  async function setDirectory(value: unknown): Promise<void> {
    assert.equal((await gateway.admin('POST', '/config', { directory: value })).status, 200)
  }

  test('finds by the beginning of a name or of a word in it, regardless of case, accents and width', async () => {
    assert.deepEqual(await found('ann'), ['anna', 'full'])
    assert.deepEqual(await found('AN'), ['anna', 'anton', 'full', 'jose'])
    assert.deepEqual(await found('mul'), ['anna'])
    assert.deepEqual(await found('anna m'), ['anna'])
    assert.deepEqual(await found('ange'), ['jose'])
    assert.deepEqual(await found('strass'), ['strasse'])
    assert.deepEqual(await found('王'), ['wei'])
    assert.deepEqual(await found('小伟'), ['wei'])
    assert.deepEqual(await found('nna'), [])
    assert.deepEqual(await found('.*'), [])
    assert.deepEqual(await found('\u0301'), [])
  })

  test('finds a user without a nickname by ID, and a renamed user only by the new nickname', async () => {
    assert.deepEqual(await found('plai'), ['plain'])
    await gateway.admin('POST', '/admin/clients/list', { data: [{ _id: 'plain', nickname: 'Renamed' }] })
    assert.deepEqual([await found('plai'), await found('rena')], [[], ['plain']])
    await gateway.admin('POST', '/admin/clients', { _id: 'plain', nickname: 'Twice' })
    assert.deepEqual([await found('rena'), await found('twi')], [[], ['plain']])
    await gateway.admin('POST', '/admin/clients/list', { data: [{ _id: 'list', description: 'no nickname' }] })
    assert.deepEqual(await found('lis', `&room=${await gateway.newRoom([alice, { ...alice, id: 'list' }])}`), ['list'])
  })

  test('returns user summaries, at most `limit` of them', async () => {
    const { body } = await search('anna m')
    const anna = { _id: 'anna', id: 'anna', nickname: 'Anna Müller', description: '', avatarUrl: '', isRobot: false }
    assert.deepEqual(body.result.data, [{ ...anna, lastLoginTimeMS: 0 }])
    assert.equal((await found('a', '&limit=2')).length, 2)
  })

  test('never returns the caller, users banned from the app, groups, other apps or users with a block between them', async () => {
    const other = await startTestGateway()
    try {
      await other.newUser('alien', { nickname: 'Zoe Alien' })
      const zoe = await gateway.newUser('zoe', { nickname: 'Zoe' })
      const zora = await gateway.newUser('zora', { nickname: 'Zora' })
      const zola = await gateway.newUser('zola', { nickname: 'Zola' })
      await gateway.admin('POST', '/admin/groups', { _id: 'zoo', nickname: 'Zoo', avatarUrl: '', members: ['zoe'] })
      const room = await gateway.newRoom([alice, zoe, zora, zola])
      for (const where of ['', `&room=${room}`]) {
        assert.deepEqual(await found('zo', where), ['zoe', 'zola', 'zora'])
        assert.deepEqual(await found('alice', where), [])
      }
      await alice.call('POST', '/blockStatus/my/zoe')
      await zora.call('POST', '/blockStatus/my/alice')
      await gateway.admin('POST', '/admin/clients/zola/ban', {})
      for (const where of ['', `&room=${room}`]) assert.deepEqual(await found('zo', where), [])
      assert.deepEqual(await found('zo', '', zora), ['zoe'])
      await gateway.admin('DELETE', '/admin/clients/zoe')
      assert.deepEqual(await found('zo', '', zora), [])
    } finally {
      await other.stop()
    }
  })

  test('finds members of shared rooms by default, everyone with `all`, no one with `off`', async () => {
    assert.deepEqual(await found('anna'), ['anna', 'full'])
    await setDirectory('all')
    assert.deepEqual(await found('anna'), ['anna', 'full', 'stranger'])
    await setDirectory('off')
    assert.equal((await search('anna')).body.error?.code, 'DIRECTORY_OFF')
    assert.deepEqual(await found('anna', `&room=${shared}`), ['anna', 'full'])
    for (const bad of ['everybody', 1, { url: 'ftp://x' }, { url: 'https://x.example', more: 1 }]) {
      const { body } = await gateway.admin('POST', '/config', { directory: bad })
      assert.equal(body.error.code, 'INVALID_BODY', JSON.stringify(bad))
    }
    await gateway.admin('DELETE', '/config/directory')
    assert.deepEqual(await found('anna'), ['anna', 'full'])
  })

  test('with `room` requires membership, and finds members', async () => {
    const foreign = await gateway.newRoom([people['anna'] as TestUser])
    const code = async (more: string) => (await search('an', more)).body.error.code
    assert.equal(await code(`&room=${foreign}`), 'NOT_ROOM_MEMBER')
    assert.equal(await code('&room=nowhere'), 'ROOM_NOT_FOUND')
    const two = await gateway.newRoom([alice, people['anna'] as TestUser])
    assert.deepEqual(await found('an', `&room=${two}`), ['anna'])
    for (const bad of ['/users/search', '/users/search?q=', `/users/search?q=${'x'.repeat(300)}`]) {
      assert.equal((await alice.call('GET', bad)).status, 400, bad)
    }
    assert.equal((await gateway.admin('GET', '/users/search?q=an')).status, 401)
  })

  test("finds members of a large room, reading only the name's index entries", async () => {
    const { db } = gateway.chat
    const room = await gateway.newRoom([alice])
    const ids = Array.from({ length: 6_000 }, (_, i) => `member ${i}`)
    const nicknames = (i: number) => (i < 5_990 ? `Somebody ${i}` : `Rare Bird ${i}`)
    await db.users.insertMany(ids.map((id, i) => newUserDoc(gateway.app, id, { nickname: nicknames(i) })))
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ids })
    assert.equal((await found('rare', `&room=${room}`)).length, 10)
    assert.equal((await found('bird')).length, 10)
    assert.equal((await found('some', `&room=${room}&limit=50`)).length, 50)
    const entries = await recorded(gateway, async () => {
      for await (const part of usersNamed(db, gateway.app, 'bird')) assert.equal(part.length, 10)
    })
    const find = entries.find(({ ns }) => String(ns).endsWith('.users'))
    assert.match(find?.['planSummary'], /^IXSCAN { app: 1, names: 1 }$/)
    assert.ok(find?.['keysExamined'] <= 12 && find?.['docsExamined'] === 10, JSON.stringify(find))
  })

  test('POST /me/rooms opens a chat only with people listed for the caller in the directory', async () => {
    const anna = people['anna'] as TestUser
    const start = async (members: string[], more = {}, by = alice) => by.call('POST', '/me/rooms', { members, ...more })
    assert.equal((await start(['anna'])).body.error.code, 'DIRECTORY_OFF')
    await setDirectory('sharedRooms')
    const { body } = await start(['anna'])
    assert.deepEqual([body.result.roomType, body.result.memberCount], ['direct', 2])
    assert.equal((await start(['alice'], {}, anna)).body.result._id, body.result._id)
    const group = (await start(['anna', 'anton', 'alice'], { name: 'Trip' })).body.result
    assert.deepEqual(
      [group.roomType, group.name, group.owner, group.memberCount, group.opening],
      ['group', 'Trip', 'alice', 3, 0],
    )
    await gateway.admin('POST', '/admin/groups', { _id: 'club', nickname: 'Club', avatarUrl: '', members: ['anna'] })
    await people['jose']?.call('POST', '/blockStatus/my/alice')
    for (const unknown of ['stranger', 'nobody', 'club', 'jose']) {
      const { status, body } = await start(['anna', unknown])
      assert.deepEqual([status, body.error.code], [404, 'CLIENT_NOT_FOUND'], unknown)
    }
    assert.equal((await start(['alice'])).body.error.code, 'INVALID_REQUEST')
    assert.equal((await start([])).status, 400)
    await setDirectory('all')
    assert.equal((await start(['stranger'])).status, 200)
    await gateway.admin('DELETE', '/config/directory')
  })

  test('a name is found from each of its first words', () => {
    assert.deepEqual(searchedNames({ id: 'x', nickname: 'Jean-Luc O’Neil' }), [
      'jean-luc o’neil',
      'luc o’neil',
      'o’neil',
      'neil',
    ])
    assert.deepEqual(searchedNames({ id: 'the id', nickname: ' ' }), ['the id', 'id'])
    assert.equal(searchedNames({ id: 'x', nickname: '很'.repeat(256) }).length, 8)
  })
})
