import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('webhook and botState belong to the integrator', () => {
  const secret = 'https://hook.example/?key=s3cret'
  const state = 'b0t-state'
  let gateway: TestGateway
  let owner: TestUser
  let manager: TestUser
  let admin: TestUser
  let member: TestUser
  let room: string

  beforeAll(async () => {
    gateway = await startTestGateway()
    owner = await gateway.newUser('owner')
    manager = await gateway.newUser('manager')
    admin = await gateway.newUser('admin', { isAdmin: true })
    member = await gateway.newUser('member')
    await gateway.newUser('newcomer')
    room = await gateway.newRoom([owner, manager, admin, member], { owner: 'owner' })
    await gateway.admin('PUT', `/rooms/${room}`, { managers: ['manager'], opening: 1 })
  })
  afterAll(() => gateway.stop())

  const shown = ({ webhook, botState }: { webhook: string; botState: string }) => [webhook, botState]
  const whole = (answer: Answer) => {
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(shown(answer.body.result), [secret, state])
  }

  test('are set by the API key when the room is created and later, and shown to it', async () => {
    const fields = { roomType: 'group', members: ['owner'], webhook: secret, botState: state }
    const made = await gateway.admin('POST', '/rooms/', { ...fields, _id: 'made' })
    whole(made)
    whole(await gateway.admin('POST', '/rooms/', { roomType: 'group', members: ['owner'], _id: 'made' }))
    whole(await gateway.admin('PUT', `/rooms/${room}`, { webhook: secret, botState: state }))
    whole(await gateway.admin('PUT', `/rooms/${room}`, { name: 'N' }))
    whole(await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['newcomer'] }))
    whole(await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['newcomer'] }))
    whole(await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['newcomer'] }))
    whole(await gateway.admin('PUT', `/rooms/${room}/member/member`, { property: 'role', value: 'member' }))
    whole(await gateway.admin('DELETE', '/rooms/made'))
  })

  test('are 403 INSUFFICIENT_PERMISSIONS for owner, manager and platform admin, and the rest of the request is not applied', async () => {
    for (const by of [owner, manager, admin]) {
      for (const field of ['webhook', 'botState']) {
        for (const value of ['https://evil.example', '']) {
          const { status, body } = await by.call('PUT', `/rooms/${room}`, { name: 'by a user', [field]: value })
          assert.deepEqual([status, body.error?.code], [403, 'INSUFFICIENT_PERMISSIONS'])
          assert.match(body.error.message, /webhook and botState/)
        }
      }
    }
    const stored = await gateway.chat.db.rooms.findOne({ id: room })
    assert.deepEqual([stored?.name, stored?.webhook, stored?.botState], ['N', secret, state])
  })

  test('are empty in every response to a user and in every event, and nowhere in their text', async () => {
    const heard = await gateway.hear()
    await gateway.admin('PUT', `/rooms/${room}`, { description: 'D' })
    const sent = await member.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'text' })
    const answers = {
      'GET /rooms': await member.call('GET', '/rooms'),
      'GET /rooms/{id}': await member.call('GET', `/rooms/${room}`),
      'PUT /rooms/{id}': await owner.call('PUT', `/rooms/${room}`, { cover: 'c' }),
      'PUT by a platform admin': await admin.call('PUT', `/rooms/${room}`, { cover: 'd' }),
      add: await owner.call('POST', `/rooms/${room}/members`, { invitees: ['newcomer'] }),
      'add nobody': await owner.call('POST', `/rooms/${room}/members`, { invitees: ['newcomer'] }),
      remove: await owner.call('POST', `/rooms/${room}/delete/members`, { members: ['newcomer'] }),
      invite: await owner.call('POST', `/rooms/${room}/members`, { invitees: ['newcomer'], invitationRequired: true }),
      role: await owner.call('PUT', `/rooms/${room}/member/member`, { property: 'role', value: 'admin' }),
      leave: await member.call('POST', `/rooms/${room}/delete/members`, { members: ['member'] }),
      join: await member.call('POST', `/rooms/${room}/join`, {}),
      'join again': await member.call('POST', `/rooms/${room}/join`, {}),
      search: await member.call('POST', '/search', { type: ['messages'], keyword: 'x' }),
      history: await member.call('GET', `/rooms/${room}/messages/v3`),
      react: await owner.call('POST', `/messages/${sent.body.result._id}/reaction`, { reaction: '+' }),
      'DELETE /rooms/{id}': await owner.call('DELETE', `/rooms/${room}`),
    }
    for (const [what, { status, body }] of Object.entries(answers)) {
      assert.equal(status, 200, `${what}: ${JSON.stringify(body)}`)
      assert.doesNotMatch(JSON.stringify(body), /s3cret|b0t-state/, what)
      const rooms = what === 'GET /rooms' ? body.result.data : 'roomType' in body.result ? [body.result] : []
      for (const one of rooms) assert.deepEqual(shown(one), ['', ''], what)
    }
    await heard.next('room', ({ status }: { status: number }) => status === 0)
    assert.ok(heard.events.filter(({ event }) => event === 'room').length >= 8)
    for (const { event, payload } of heard.events) {
      assert.doesNotMatch(JSON.stringify(payload), /s3cret|b0t-state/, event)
    }
  })
})
