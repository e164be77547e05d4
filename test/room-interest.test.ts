import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

suite('a realtime node hears only what its sockets need', { timeout: 60_000 }, () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: RunningService[]

  before(async () => {
    platform = await startPlatform()
    gateway = await platform.start('api-gateway')
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
  })
  after(() => platform.stop())

  const admin = async (method: string, path: string, body?: unknown) => {
    const answer = await call(gateway.url, method, path, { 'im-api-key': platform.apiKey }, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }
  const newUser = async (_id: string) =>
    String((await admin('POST', '/admin/clients', { _id, issueAccessToken: true }))['token'])
  const metric = async (node: number, name: string): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${nodes[node]?.ports['internal']}/metrics`)).text()
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'm').exec(text)?.[1] ?? 0)
  }
  const heard = (node: number) => metric(node, 'parley_bus_subscriptions')
  const delivered = (node: number) => metric(node, 'parley_events_delivered_total\\{event="chat message".*\\}')

  test('it subscribes to a room while it holds a member’s socket, and stops after', async () => {
    const [alice, bob] = [await newUser('alice'), await newUser('bob')]
    for (const _id of ['both', 'also both']) {
      await admin('POST', '/rooms/', { _id, roomType: 'group', members: ['alice', 'bob'] })
    }
    assert.equal(await heard(0), 0)
    const first = await connectClient(nodes[0]?.url ?? '', alice)
    assert.equal(await heard(0), 3, 'two rooms, and alice herself')
    const second = await connectClient(nodes[0]?.url ?? '', bob)
    assert.equal(await heard(0), 4, 'and bob')
    assert.equal(await heard(1), 0, 'the other node holds nobody')

    await admin('POST', '/rooms/also%20both/delete/members', { members: ['alice'] })
    assert.equal(await heard(0), 4, 'bob is still in the room')
    await admin('POST', '/rooms/also%20both/delete/members', { members: ['bob'] })
    assert.equal(await heard(0), 3)
    await admin('POST', '/rooms/', { _id: 'new', roomType: 'group', members: ['bob'] })
    assert.equal(await heard(0), 4)

    first.close()
    second.close()
    await eventually('nothing is heard', async () => (await heard(0)) === 0)
  })

  test('a message of a room goes to the nodes of its members, and to no other', async () => {
    const carol = await connectClient(nodes[0]?.url ?? '', await newUser('carol'))
    const dave = await connectClient(nodes[1]?.url ?? '', await newUser('dave'))
    await admin('POST', '/rooms/', { _id: 'of carol', roomType: 'group', members: ['carol'] })
    await admin('POST', '/rooms/', { _id: 'of both', roomType: 'group', members: ['carol', 'dave'] })
    const before = [await delivered(0), await delivered(1)]
    const atDave = new Promise((resolve) => dave.once('chat message', resolve))
    for (const room of ['of carol', 'of carol', 'of both']) {
      await admin('POST', '/messages', { room, sender: 'carol', message: 'x', messageType: 'text' })
    }
    await atDave
    await eventually('carol has three', async () => (await delivered(0)) === (before[0] ?? 0) + 3)
    assert.equal(await delivered(1), (before[1] ?? 0) + 1)
    carol.close()
    dave.close()
  })
})
