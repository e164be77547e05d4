import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** A group in which the actor is banned, with messages from before the ban. */
interface Scene {
  room: string
  /** The actor's message, sent before the ban. */
  own: string
  others: string
}

describe('a user banned in a room can read and leave, and nothing else', () => {
  let gateway: TestGateway
  let owner: TestUser
  let other: TestUser
  const actors: Record<string, TestUser> = {}
  beforeAll(async () => {
    gateway = await startTestGateway()
    owner = await gateway.newUser('owner')
    other = await gateway.newUser('other')
    await gateway.newUser('newcomer')
    actors['a member'] = await gateway.newUser('member')
    actors['a manager'] = await gateway.newUser('manager')
    actors['a platform admin'] = await gateway.newUser('admin', { isAdmin: true })
  })
  afterAll(() => gateway.stop())

  const send = async (by: TestUser, room: string) =>
    (await by.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })).body.result._id

  async function newScene(actor: TestUser): Promise<Scene> {
    const room = await gateway.newRoom([owner, other, actor], { owner: 'owner', opening: 1 })
    await gateway.admin('PUT', `/rooms/${room}`, { managers: actor.id === 'manager' ? ['manager'] : [] })
    const scene = { room, own: await send(actor, room), others: await send(other, room) }
    const { status } = await owner.call('POST', `/blockStatus/room/${room}/${actor.id}`)
    assert.equal(status, 200)
    return scene
  }

  type Act = (by: TestUser, scene: Scene) => Promise<Answer>
  const forbidden: Record<string, Act> = {
    send: (by, { room }) => by.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' }),
    'send through the integrator': (by, { room }) =>
      gateway.admin('POST', '/messages', { room, sender: by.id, message: 'x', messageType: 'text' }),
    'send later': (by, { room }) =>
      by.call('POST', '/scheduled', { room, message: 'x', messageType: 'text', sendAtMS: Date.now() + 3_600_000 }),
    edit: (by, { room, own }) => by.call('POST', `/rooms/${room}/message`, { _id: own, message: 'y' }),
    recall: (by, { room, own }) => by.call('POST', `/rooms/${room}/message`, { _id: own, messageType: 'recall' }),
    react: (by, { others }) => by.call('POST', `/messages/${others}/reaction`, { reaction: '+' }),
    'take back a reaction': (by, { others }) => by.call('DELETE', `/messages/${others}/reaction?reaction=%2B`),
    pin: (by, { others }) => by.call('POST', `/messages/${others}/pin`),
    unpin: (by, { others }) => by.call('DELETE', `/messages/${others}/pin`),
    type: (by, { room }) => by.call('POST', `/rooms/${room}/typing`, { message: 'x' }),
    add: (by, { room }) => by.call('POST', `/rooms/${room}/members`, { invitees: ['newcomer'] }),
    invite: (by, { room }) =>
      by.call('POST', `/rooms/${room}/members`, { invitees: ['newcomer'], invitationRequired: true }),
    'take out another': (by, { room }) => by.call('POST', `/rooms/${room}/delete/members`, { members: ['other'] }),
    'remove another and leave': (by, { room }) =>
      by.call('POST', `/rooms/${room}/delete/members`, { members: [by.id, 'other'] }),
    'delete for others': (by, { room, others }) => by.call('DELETE', `/rooms/${room}/messages/${others}`),
    'delete everything for others': (by, { room }) => by.call('DELETE', `/rooms/${room}/messages/_all`),
    'change the room': (by, { room }) => by.call('PUT', `/rooms/${room}`, { name: 'mine' }),
    'make a manager': (by, { room }) =>
      by.call('PUT', `/rooms/${room}/member/other`, { property: 'role', value: 'admin' }),
    'delete the room': (by, { room }) => by.call('DELETE', `/rooms/${room}`),
  }
  const allowed: Record<string, Act> = {
    'read the history': (by, { room }) => by.call('GET', `/rooms/${room}/messages/v3`),
    'read the room': (by, { room }) => by.call('GET', `/rooms/${room}`),
    'read its members': (by, { room }) => by.call('GET', `/rooms/${room}/members`),
    'read its bans': (by, { room }) => by.call('GET', `/blockStatus/room/${room}`),
    'mark it as read': (by, { room, others }) => by.call('PUT', `/rooms/${room}/lastRead`, { message: others }),
    'mute it': (by, { room }) => by.call('POST', `/me/mute/${room}`),
    'delete a message for themselves': (by, { room, others }) =>
      by.call('POST', '/messages/user-delete', { room, messages: [others] }),
    leave: (by, { room }) => by.call('POST', `/rooms/${room}/delete/members`, { members: [by.id] }),
  }

  for (const who of ['a member', 'a manager', 'a platform admin']) {
    test(`${who} is refused with 403 USER_BLOCKED, and nothing changes: ${Object.keys(forbidden).join(', ')}`, async () => {
      const actor = actors[who] as TestUser
      const scene = await newScene(actor)
      const { db } = gateway.chat
      const roomKey = `${gateway.app}\0${scene.room}`
      const stored = () =>
        Promise.all(
          [db.messages, db.messageBuckets, db.memberships].map((all) => all.find({ roomKey } as object).toArray()),
        ).then(async (all) => [...all, await db.rooms.findOne({ _id: roomKey }), await db.invitations.find().toArray()])
      await gateway.chat.flusher.drained()
      const before = await stored()
      for (const [what, act] of Object.entries(forbidden)) {
        const { status, body } = await act(actor, scene)
        assert.deepEqual([what, status, body.error?.code], [what, 403, 'USER_BLOCKED'])
      }
      assert.deepEqual(await stored(), before)
    })

    test(`${who} can: ${Object.keys(allowed).join(', ')}`, async () => {
      const actor = actors[who] as TestUser
      const scene = await newScene(actor)
      for (const [what, act] of Object.entries(allowed)) {
        const { status, body } = await act(actor, scene)
        assert.deepEqual([what, status], [what, 200], JSON.stringify(body))
      }
      const { body } = await owner.call('GET', `/rooms/${scene.room}/members`)
      assert.equal(
        body.result.data.some(({ _id }: { _id: string }) => _id === actor.id),
        false,
      )
    })
  }

  test('a platform admin banned without being a member is refused too', async () => {
    const admin = actors['a platform admin'] as TestUser
    const room = await gateway.newRoom([owner, other], { owner: 'owner' })
    await owner.call('POST', `/blockStatus/room/${room}/admin`)
    for (const answer of [
      await admin.call('PUT', `/rooms/${room}`, { name: 'mine' }),
      await admin.call('POST', `/rooms/${room}/members`, { invitees: ['admin'] }),
      await admin.call('POST', `/blockStatus/room/${room}/other`),
      await admin.call('DELETE', `/rooms/${room}`),
    ]) {
      assert.deepEqual([answer.status, answer.body.error?.code], [403, 'USER_BLOCKED'])
    }
  })

  test('cannot become the owner, neither by a call nor when the owner leaves', async () => {
    const { room } = await newScene(actors['a manager'] as TestUser)
    for (const by of [owner.call, gateway.admin]) {
      const { status, body } = await by('PUT', `/rooms/${room}`, { owner: 'manager' })
      assert.deepEqual([status, body.error?.code], [400, 'INVALID_REQUEST'])
      assert.match(body.error.message, /owner.*banned/)
    }
    const { body } = await owner.call('POST', `/rooms/${room}/delete/members`, { members: ['owner'] })
    assert.deepEqual([body.result.owner, body.result.managers], ['other', ['manager']])
  })

  test('can do everything again once the ban is lifted', async () => {
    const manager = actors['a manager'] as TestUser
    const scene = await newScene(manager)
    await owner.call('DELETE', `/blockStatus/room/${scene.room}/manager`)
    assert.equal((await manager.call('PUT', `/rooms/${scene.room}`, { name: 'ours' })).body.result.name, 'ours')
    assert.equal((await manager.call('DELETE', `/rooms/${scene.room}/messages/${scene.others}`)).status, 200)
  })
})
