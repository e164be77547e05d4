import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

describe('GET /invitations', () => {
  let gateway: TestGateway
  let owner: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    owner = await gateway.newUser('owner', { nickname: 'Olga' })
  })
  afterAll(() => gateway.stop())

  async function invite(user: TestUser, name: string): Promise<string> {
    const room = await gateway.newRoom([owner], { owner: 'owner', name })
    const invitees = { invitees: [user.id], invitationRequired: true }
    assert.equal((await owner.call('POST', `/rooms/${room}/members`, invitees)).status, 200)
    return room
  }
  const listed = async (user: TestUser, query = '') => {
    const { status, body } = await user.call('GET', `/invitations${query}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body.result as { data: { room: string; roomName: string; inviter: string }[]; cursor?: string }
  }
  const names = async (user: TestUser) => (await listed(user)).data.map(({ roomName }) => roomName)

  test("lists the caller's open invitations, newest first, with room names", async () => {
    const [carl, dora] = [await gateway.newUser(), await gateway.newUser()]
    const first = await invite(carl, 'first')
    await invite(carl, 'second')
    await invite(dora, 'of another')
    const { data, cursor } = await listed(carl)
    assert.deepEqual(
      data.map(({ room, roomName, inviter }) => [room === first, roomName, inviter]),
      [
        [false, 'second', 'owner'],
        [true, 'first', 'owner'],
      ],
    )
    assert.equal(cursor, undefined)
    await carl.call('POST', `/rooms/${first}/join`, {})
    assert.deepEqual(await names(carl), ['second'])
  })

  test('omits declined ones, those to deleted rooms, and those of erased users', async () => {
    const carl = await gateway.newUser()
    const [declined, deleted, kept] = [await invite(carl, 'a'), await invite(carl, 'b'), await invite(carl, 'c')]
    await carl.call('DELETE', `/rooms/${declined}/invitations`)
    await gateway.admin('DELETE', `/rooms/${deleted}`)
    assert.deepEqual(await names(carl), ['c'])
    // A repeated invitation is still one.
    await owner.call('POST', `/rooms/${kept}/members`, { invitees: [carl.id], invitationRequired: true })
    assert.deepEqual(await names(carl), ['c'])
    await gateway.admin('DELETE', `/admin/clients/${carl.id}`)
    assert.deepEqual(await names(await gateway.newUser(carl.id)), [])
  })

  test('is paged, even if the invitation at the cursor has ended; an invalid cursor is 400 naming it', async () => {
    const carl = await gateway.newUser()
    const rooms: string[] = []
    for (const name of ['1', '2', '3', '4', '5']) rooms.push(await invite(carl, name))
    const { data, cursor } = await listed(carl, '?limit=2')
    assert.deepEqual([data.map(({ roomName }) => roomName), typeof cursor], [['5', '4'], 'string'])
    await carl.call('DELETE', `/rooms/${rooms[3]}/invitations`)
    const next = await listed(carl, `?limit=3&cursor=${cursor}`)
    assert.deepEqual([next.data.map(({ roomName }) => roomName), next.cursor], [['3', '2', '1'], undefined])
    for (const [query, field] of [
      ['?cursor=x', /cursor/],
      ['?limit=0', /limit/],
    ] as const) {
      const { status, body } = await carl.call('GET', `/invitations${query}`)
      assert.equal(status, 400)
      assert.match(body.error.message, field)
    }
  })
})
