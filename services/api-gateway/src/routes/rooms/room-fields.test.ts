import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startWithAliceAndBob, type TestGateway, type TestUser } from '../../test-gateway.ts'

const fields = {
  name: 'Friends',
  cover: 'https://a/cover',
  description: 'All of us',
  botMode: true,
  encrypted: true,
  serviceStatus: 3,
  roomTags: ['work', 'urgent'],
}
const secrets = { webhook: 'https://example.com/hook', botState: 'asked' }

describe('every field of a Room', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    ;({ gateway, alice, bob } = await startWithAliceAndBob({ nickname: 'Alice' }))
  })
  afterAll(() => gateway.stop())

  test('as members get it in GET /rooms', async () => {
    proves('Room', '_id', 'id', 'name', 'cover', 'description', 'roomType', 'botMode', 'encrypted', 'serviceStatus')
    proves('Room', 'roomTags', 'status', 'unread', 'muted', 'lastMessage', 'members', 'pref', 'createdTimeMS')
    const room = await gateway.newRoom([alice, bob], { ...fields, ...secrets })
    await bob.call('POST', `/rooms/${room}/message`, { message: 'one', messageType: 'text' })
    await bob.call('POST', `/rooms/${room}/message`, { message: 'two', messageType: 'text' })
    const pref = { tags: ['t'], tagColors: { t: '#ff0000' }, hidden: false, sticky: true, folder: 'f' }
    await alice.call('POST', `/roomPrefs/${room}`, pref)
    await alice.call('POST', `/me/mute/${room}`)
    const [shown] = (await alice.call('GET', '/rooms')).body.result.data
    const [latest] = (await alice.call('GET', `/rooms/${room}/messages/v3?limit=1`)).body.result.data
    const { members, createdTimeMS, webhook: _webhook, botState: _botState, ...rest } = shown
    const ours = { appID: gateway.app, memberCount: 2, managers: [], opening: 0, extParams: {} }
    assert.deepEqual(rest, {
      ...{ ...fields, ...ours, _id: room, id: room, roomType: 'group', status: 1 },
      ...{ unread: 2, muted: true, lastMessage: latest, pref: { ...pref, muted: true } },
    })
    assert.equal(latest.message, 'two')
    assert.ok(Number.isInteger(createdTimeMS) && Math.abs(createdTimeMS - Date.now()) < 60_000)
    assert.deepEqual(
      members.map((member: { _id: string; nickname: string }) => [member._id, member.nickname]),
      [
        ['alice', 'Alice'],
        ['bob', ''],
      ],
    )
  })

  test('webhook and botState, as the integrator gets them', async () => {
    proves('Room', 'webhook', 'botState')
    const body = { roomType: 'group', members: ['alice'], ...secrets }
    const made = (await gateway.admin('POST', '/rooms/', body)).body.result
    assert.partialDeepStrictEqual(made, secrets)
    const changed = { webhook: 'https://example.com/other', botState: 'answered' }
    assert.partialDeepStrictEqual((await gateway.admin('PUT', `/rooms/${made._id}`, changed)).body.result, changed)
  })
})
