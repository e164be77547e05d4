import assert from 'node:assert/strict'
import { makeApp } from '@parley/local/make-app'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectResuming } from '../catch-up/resuming-client.ts'
import { call, connectClient, eventually, type RunningService } from '../platform.ts'
import { startWebhookPlatform, type WebhookPlatform } from '../webhooks/test-webhooks.ts'

interface Trace {
  accepted: { atMS: number; request?: string }
  published?: { atMS: number; streamSeq: number }
  flushed: boolean
  isDeleted: boolean
  deliveries: { node: string; sockets: number; atMS: number; caughtUp?: true }[]
  silentNodes: string[]
  push: { recorded: boolean; members: object; devices: object; results: object }
  calls: { id: string; state: string; status?: number }[]
  readBy: { totalCount: number; data: string[] }
}

describe('GET /admin/messages/{id}/trace', () => {
  let platform: WebhookPlatform
  let nodes: RunningService[]
  const open: Socket[] = []

  beforeAll(async () => {
    platform = await startWebhookPlatform()
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
    await platform.startPush()
  })
  afterAll(async () => {
    for (const socket of open) socket.close()
    await platform.stop()
  })

  const trace = async (message: string) =>
    (await platform.admin('GET', `/admin/messages/${message}/trace`)) as unknown as Trace
  /** Polls the trace until it is complete. */
  async function traced(message: string, isIt: (found: Trace) => boolean): Promise<Trace> {
    let found: Trace | undefined
    await eventually('the trace', async () => {
      found = await trace(message)
      return isIt(found)
    })
    return found as Trace
  }

  test('shows when a message was accepted, published, flushed, delivered, pushed, posted to webhooks and read, and by whom', async () => {
    const [alice, bob, carol] = [
      await platform.newUser(),
      await platform.newUser(['ios']),
      await platform.newUser(['fcm']),
    ]
    const { room } = await platform.newHookedRoom([alice, bob, carol])
    const [first, second] = nodes as [RunningService, RunningService]
    open.push(await connectClient(first.url, platform.tokenOf(bob), { deviceId: `ios of ${bob}` }))
    open.push(await connectClient(first.url, platform.tokenOf(alice)))
    open.push(await connectClient(second.url, platform.tokenOf(alice), { transports: ['polling'] }))
    const before = Date.now()
    const message = await platform.send(room, alice)
    await platform.as(bob, 'PUT', `/rooms/${room}/lastRead`, { message })
    // A busy node may respond too late or not have delivered yet.
    const found = await traced(message, ({ deliveries, push, calls, flushed }) => {
      return deliveries.length === 2 && flushed && 'sent' in push.results && calls[0]?.state === 'done'
    })
    const { accepted, published, deliveries } = found
    // A room's clock can be ahead by the messages of one write.
    assert.ok(accepted.atMS >= before - 1_000 && accepted.atMS <= Date.now() + 1_000)
    assert.equal(typeof accepted.request, 'string')
    assert.ok(published && published.streamSeq > 0 && published.atMS >= before - 1_000)
    assert.deepEqual(new Set(deliveries.map(({ sockets }) => sockets)), new Set([1, 2]))
    assert.equal(new Set(deliveries.map(({ node }) => node)).size, 2)
    assert.deepEqual(found.silentNodes, [])
    assert.deepEqual(found.push, {
      recorded: true,
      members: { SENDER: 1 },
      devices: { CONNECTED: 1, DUE: 1 },
      results: { sent: 1 },
    })
    assert.deepEqual(
      found.calls.map(({ id, status }) => [id, status]),
      [[`hook_${message}`, 200]],
    )
    assert.deepEqual(found.readBy, { totalCount: 1, data: [bob] })

    const refused = { room, sender: bob, message: 'x', messageType: 'text', replyTo: 'none' }
    const headers = { 'im-api-key': platform.apiKey }
    const { status } = await call(platform.gateway.url, 'POST', '/messages', headers, refused)
    assert.ok(status >= 400 && status < 500)
    const { data } = await platform.admin('GET', `/admin/timeline?user=${bob}&room=${room}`)
    const entries = data as { code: string; node?: string; reason: string; refs: { message?: string } }[]
    const of = (code: string) => entries.filter((entry) => entry.code === code)
    const handed = of('DELIVERED').filter(({ refs }) => refs.message === message)
    assert.deepEqual(
      handed
        .map(({ node, reason }) => [node === deliveries.find(({ sockets }) => sockets === 2)?.node, reason])
        .toSorted(([one], [other]) => Number(one) - Number(other)),
      [
        [false, 'delivered to one socket of the room'],
        [true, `delivered to 2 sockets of the room; ios of ${bob} was connected there`],
      ],
    )
    assert.match(of('CONNECTED_STILL')[0]?.reason ?? '', /^ios of .* connected by websocket and is still connected$/)
    assert.match(of('PUSH_CONNECTED')[0]?.reason ?? '', /^No push to ios of .*: the device was connected/)
    assert.match(of('CALL_DONE')[0]?.reason ?? '', /answered with 200/)
    assert.equal(of('READ').length, 1)
    assert.match(of('REFUSED')[0]?.reason ?? '', /^POST \/messages was refused: [A-Z_]+ /)

    await platform.admin('DELETE', `/rooms/${room}/messages/${message}`)
    const deleted = await trace(message)
    assert.deepEqual([deleted.isDeleted, deleted.readBy.data], [true, [bob]])
  })

  test('names only users that had read the message, even after all messages of the room were deleted', async () => {
    const [alice, bob, carol] = [await platform.newUser(), await platform.newUser(), await platform.newUser()]
    const room = await platform.newRoom([alice, bob, carol])
    const message = await platform.send(room, alice)
    await platform.as(bob, 'PUT', `/rooms/${room}/lastRead`, { message })
    await platform.admin('DELETE', `/rooms/${room}/messages/_all`)
    // Deletion moves all members' markers past the deleted messages.
    await platform.admin('DELETE', `/rooms/${room}/messages/${await platform.send(room, alice)}`)
    assert.deepEqual((await trace(message)).readBy, { totalCount: 1, data: [bob] })
  })

  test('counts the sockets that got the message in a replay, by node', async () => {
    const [alice, bob] = [await platform.newUser(), await platform.newUser()]
    const room = await platform.newRoom([alice, bob])
    const [node] = nodes as [RunningService]
    const come = async () => {
      const client = await connectResuming(node.url, platform.tokenOf(bob))
      open.push(client.socket)
      return client
    }
    const first = await come()
    const since = (await first.login({ since: 0 })).result.serverTimeMS
    first.socket.close()
    await eventually('no socket is connected', async () => {
      return ((await platform.admin('GET', `/admin/clients/${bob}/connections`))['data'] as object[]).length === 0
    })
    const message = await platform.send(room, alice)
    await traced(message, ({ published }) => published !== undefined)
    for (const deviceId of ['phone', 'tablet']) {
      const { result } = await (await come()).login({ deviceId, since })
      assert.equal(result.resumed, true)
    }
    const toSockets = ({ deliveries }: Trace) => deliveries.filter(({ sockets }) => sockets > 0)
    const found = await traced(message, (one) => toSockets(one).length > 0)
    assert.deepEqual(
      toSockets(found).map(({ sockets, caughtUp }) => [sockets, caughtUp]),
      [[2, true]],
    )
  })

  test("covers only messages of the caller's app", async () => {
    const alice = await platform.newUser()
    const message = await platform.send(await platform.newRoom([alice]), alice)
    const other = await makeApp(platform.servers.mongoUrl, `other than ${platform.app}`)
    for (const [id, apiKey] of [
      [message, other.apiKey],
      ['nothing', platform.apiKey],
    ] as const) {
      const path = `/admin/messages/${id}/trace`
      assert.equal((await call(platform.gateway.url, 'GET', path, { 'im-api-key': apiKey })).status, 404)
    }
    assert.equal((await call(platform.gateway.url, 'GET', `/admin/messages/${message}/trace`, {})).status, 401)
  })
})
