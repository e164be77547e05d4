import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

const hostile = ['a\nb', 'a\u0000', '\u0007', 'a\u007f', 'a\u0085b', 'a\ud800', '\udc00b']
const fair = ['Ünïcödé 😀', 'محمد', 'family 👨‍👩‍👧', 'a\u200fb', 'ไทย']

describe('names shown to people', () => {
  let gateway: TestGateway
  let alice: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser('alice')
  })
  afterAll(() => gateway.stop())

  const group = { roomType: 'group', members: ['alice'] }
  const places: [what: string, field: string, save: (name: string) => ReturnType<TestUser['call']>][] = [
    ['a user', 'nickname', (nickname) => gateway.admin('POST', '/admin/clients', { _id: 'alice', nickname })],
    [
      'users',
      'nickname',
      (nickname) => gateway.admin('POST', '/admin/clients/list', { data: [{ _id: 'bob', nickname }] }),
    ],
    ['a user group', 'nickname', (nickname) => gateway.admin('POST', '/admin/groups', { nickname })],
    ['a new room', 'name', (name) => gateway.admin('POST', '/rooms/', { ...group, name })],
    ['a room', 'name', async (name) => gateway.admin('PUT', `/rooms/${await gateway.newRoom([alice])}`, { name })],
    ['a file', 'name', (name) => alice.call('POST', '/files', { name, size: 1 })],
  ]
  for (const [what, field, save] of places) {
    test(`of ${what}: control characters and halves of surrogate pairs are 400, naming the field`, async () => {
      for (const name of hostile) {
        const { status, body } = await save(name)
        assert.equal(status, 400, JSON.stringify(name))
        assert.ok(body.error.message.includes(field), body.error.message)
      }
      for (const name of fair) {
        const { status, body } = await save(name)
        assert.equal(status, 200, JSON.stringify(body))
        if (what !== 'users') assert.equal(body.result[field], name)
      }
    })
  }

  test('the response to a profile update shows the stored name, and texts beside it are well-formed too', async () => {
    const profile = { nickname: 'A 😀', description: 'two\nlines', email: 'a@example.com', avatarUrl: '/😀.png' }
    const { body } = await gateway.admin('POST', '/admin/clients', { _id: 'alice', ...profile })
    const stored = await gateway.admin('GET', '/admin/clients?q={"_id":"alice"}')
    for (const [field, value] of Object.entries(profile)) {
      assert.deepEqual([body.result[field], stored.body.result.data[0][field]], [value, value])
      const half = await gateway.admin('POST', '/admin/clients', { _id: 'alice', [field]: 'x\ud800' })
      assert.equal(half.status, 400, field)
    }
  })

  test('of a file: direction marks that hide its extension are removed', async () => {
    const announce = (name: string) => alice.call('POST', '/files', { name, size: 1 })
    const { name, fileID } = (await announce('photo\u202egpj.exe')).body.result
    assert.equal(name, 'photogpj.exe')
    assert.equal((await alice.call('GET', `/files/${fileID}`)).body.result.name, name)
    assert.equal((await announce('\u2067\u2066a\u2069.pdf\u202c')).body.result.name, 'a.pdf')
    assert.equal((await announce('\u202e\u2069')).status, 400)
  })
})
