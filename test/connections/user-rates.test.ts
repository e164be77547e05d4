import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectClient, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

interface Ack {
  RC: number
  error?: { code: string; retryAfterMS?: number }
}
const perUser = 30

describe('the rate limit of a user', () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: RunningService[]
  beforeAll(async () => {
    platform = await startPlatform()
    const limits = { PARLEY_RATE_PER_USER: `${perUser}` }
    gateway = await platform.start('api-gateway', limits)
    nodes = [await platform.start('realtime', limits), await platform.start('realtime', limits)]
  })
  afterAll(() => platform.stop())

  test('counts emits of all sockets and requests together: returns 429, and other users are not affected', async () => {
    const [alice, bob] = [await platform.newUser('alice'), await platform.newUser('bob')]
    const room = await platform.newRoom([alice.id, bob.id])
    const sockets = await Promise.all(nodes.map(({ url }) => connectClient(url, alice.token)))
    const send = async (i: number) => {
      const socket = sockets[i % sockets.length] as (typeof sockets)[number]
      return (await socket.emitWithAck('chat message', { room, message: `${i}`, messageType: 'text' })) as Ack
    }
    let sent = 0
    const refused = await eventually('a 429', async () => {
      const ack = await send(sent)
      if (ack.RC !== 0) return ack
      sent++
      return undefined
    })
    assert.deepEqual([refused.RC, refused.error?.code], [429, 'TOO_MANY_REQUESTS'])
    const leftMS = refused.error?.retryAfterMS ?? 0
    assert.ok(leftMS > 0 && leftMS <= 60_000, `${leftMS} ms`)
    // The minute can change once, and the nodes share their counts every 100 ms.
    assert.ok(sent >= perUser && sent <= 4 * perUser, `${sent} sent`)
    await eventually('REST refuses them too', async () => {
      const { status } = await fetch(`${gateway.url}/me/badge`, { headers: alice.headers })
      return status === 429 || (await send(0), undefined)
    })
    assert.ok(sockets.every(({ connected }) => connected))
    const other = await connectClient((nodes[0] as RunningService).url, bob.token)
    const ack = (await other.emitWithAck('chat message', { room, message: 'x', messageType: 'text' })) as Ack
    assert.equal(ack.RC, 0)
    for (const socket of [...sockets, other]) socket.close()
  })
})
