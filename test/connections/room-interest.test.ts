import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type RunningService, startPlatformWithNodes } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'

describe('a realtime node subscribes only for its sockets', () => {
  let platform: Platform
  let nodes: [RunningService, RunningService]

  beforeAll(async () => {
    ;({ platform, nodes } = await startPlatformWithNodes())
  })
  afterAll(() => platform.stop())

  const metric = async (node: 0 | 1, name: string): Promise<number> => {
    const text = await metricsOf(nodes[node])
    return Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, 'm').exec(text)?.[1] ?? 0)
  }
  const heard = (node: 0 | 1) => metric(node, 'parley_bus_subscriptions')
  /** Polls, since a node that stalls for longer than the command's timeout applies it later. */
  const hears = (count: number, why = '') =>
    eventually(`${count} subscriptions ${why}`, async () => (await heard(0)) === count)
  const delivered = (node: 0 | 1) => metric(node, 'parley_events_delivered_total\\{event="chat message".*\\}')

  test('to a room only while it has a member’s socket', async () => {
    const [alice, bob] = [await platform.newUser('alice'), await platform.newUser('bob')]
    for (const _id of ['both', 'also both']) {
      await platform.admin('POST', '/rooms/', { _id, roomType: 'group', members: ['alice', 'bob'] })
    }
    assert.equal(await heard(0), 0)
    const first = await platform.connect(nodes[0], alice)
    assert.equal(await heard(0), 3, 'two rooms, and alice herself')
    const second = await platform.connect(nodes[0], bob)
    assert.equal(await heard(0), 4, 'and bob')
    assert.equal(await heard(1), 0, 'the other node has no sockets')

    await platform.admin('POST', '/rooms/also%20both/delete/members', { members: ['alice'] })
    await hears(4, 'bob is still in the room')
    await platform.admin('POST', '/rooms/also%20both/delete/members', { members: ['bob'] })
    await hears(3)
    await platform.admin('POST', '/rooms/', { _id: 'new', roomType: 'group', members: ['bob'] })
    await hears(4)

    first.close()
    second.close()
    await eventually('no subscriptions are left', async () => (await heard(0)) === 0)
  })

  test("so that a message goes only to the nodes of the room's members", async () => {
    const carol = await platform.connect(nodes[0], await platform.newUser('carol'))
    const dave = await platform.connect(nodes[1], await platform.newUser('dave'))
    await platform.admin('POST', '/rooms/', { _id: 'of carol', roomType: 'group', members: ['carol'] })
    await platform.admin('POST', '/rooms/', { _id: 'of both', roomType: 'group', members: ['carol', 'dave'] })
    const before = [await delivered(0), await delivered(1)]
    const atDave = new Promise((resolve) => dave.once('chat message', resolve))
    for (const room of ['of carol', 'of carol', 'of both']) {
      await platform.admin('POST', '/messages', { room, sender: 'carol', message: 'x', messageType: 'text' })
    }
    await atDave
    await eventually('carol has three', async () => (await delivered(0)) === (before[0] ?? 0) + 3)
    assert.equal(await delivered(1), (before[1] ?? 0) + 1)
    carol.close()
    dave.close()
  })
})
