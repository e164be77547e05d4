import assert from 'node:assert/strict'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** The erasure completes after the other request checked that the user exists, and before it commits. */
describe('a user erased while becoming a member', () => {
  let gateway: TestGateway
  let bob: TestUser
  let carol: TestUser
  let eve: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    bob = await gateway.newUser('bob')
    carol = await gateway.newUser('carol')
    const chat = { ...gateway.chat }
    gateway.chat.createRoomInBatch = async (wanted) => {
      if (wanted.members.includes(eve.id)) await erase()
      return chat.createRoomInBatch(wanted)
    }
  })
  beforeEach(async () => {
    eve = await gateway.newUser()
  })
  afterAll(() => gateway.stop())

  const erase = async () => assert.equal((await gateway.admin('DELETE', `/admin/clients/${eve.id}`)).status, 200)
  /** Erases while the next change stores its events, inside its transaction. */
  const eraseInNextChange = () => {
    const { outbox } = gateway.chat
    const add = outbox.add.bind(outbox)
    outbox.add = async (...changes) => {
      outbox.add = add
      await erase()
      return add(...changes)
    }
  }
  const memberships = () => gateway.chat.db.memberships.countDocuments({ userKey: key(gateway.app, eve.id) })

  test('becomes a member neither of a group that adds them nor of one being created', async () => {
    const room = await gateway.newRoom([bob])
    const heard = await gateway.hear()
    eraseInNextChange()
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: [eve.id] })
    assert.equal(await memberships(), 0)
    const { memberCount, members } = (await bob.call('GET', `/rooms/${room}`)).body.result
    assert.deepEqual([memberCount, members.map(({ _id }: { _id: string }) => _id)], [1, ['bob']])
    await heard.next('room', (of: { _id: string; memberCount: number }) => of._id === room && of.memberCount === 1)

    eve = await gateway.newUser()
    const made = await gateway.newRoom([bob, eve])
    assert.equal(await memberships(), 0)
    assert.equal((await bob.call('GET', `/rooms/${made}`)).body.result.memberCount, 1)
  })

  test('is not invited, and neither is a later user of the ID', async () => {
    const room = await gateway.newRoom([bob])
    eraseInNextChange()
    const body = { invitees: [eve.id, 'carol'], invitationRequired: true }
    const invited = (await bob.call('POST', `/rooms/${room}/members`, body)).body.result
    assert.deepEqual(
      invited.invitations.map(({ invitee }: { invitee: string }) => invitee),
      ['carol'],
    )
    const later = await gateway.newUser(eve.id)
    assert.deepEqual((await later.call('GET', '/invitations')).body.result.data, [])
    assert.equal((await carol.call('GET', '/invitations')).body.result.data.length, 1)
  })

  test('gets no direct room: 404 CLIENT_NOT_FOUND', async () => {
    const body = { roomType: 'direct', members: ['bob', eve.id] }
    const refused = await gateway.admin('POST', '/rooms/', body)
    assert.deepEqual([refused.status, refused.body.error?.code], [404, 'CLIENT_NOT_FOUND'])
    assert.equal(await gateway.chat.db.rooms.countDocuments({ roomType: 'direct' }), 0)
  })
})
