import assert from 'node:assert/strict'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'

describe('a realtime node', () => {
  let platform: Platform
  let gateway: RunningService
  let nodes: RunningService[]

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['nats'] })
    gateway = await platform.start('api-gateway')
    nodes = await Promise.all([platform.start('realtime'), platform.start('realtime')])
  })
  afterAll(() => platform.stop())

  const send = async (room: unknown) => {
    const sent = await platform.admin('POST', '/messages', { room, sender: 'owner', message: 'x', messageType: 'text' })
    return String(sent['_id'])
  }
  interface Client {
    socket: Socket
    got: string[]
    ended: string | undefined
  }
  async function connect(user: PlatformUser, node: number): Promise<Client> {
    const socket = await platform.connect(nodes[node] as RunningService, user)
    const client: Client = { socket, got: [], ended: undefined }
    socket.on('chat message', ({ _id }: { _id: string }) => client.got.push(_id))
    socket.on('disconnect', (reason) => {
      client.ended = reason
    })
    return client
  }

  test('catches up after NATS was away: messages, membership changes, revoked tokens', async () => {
    const owner = await connect(await platform.newUser('owner'), 0)
    const stays = await connect(await platform.newUser('stays'), 1)
    const leaves = await connect(await platform.newUser('leaves'), 1)
    const comes = await connect(await platform.newUser('comes'), 0)
    const ends = await connect(await platform.newUser('ends'), 1)
    const members = ['owner', 'stays', 'leaves', 'ends']
    const room = (await platform.admin('POST', '/rooms/', { roomType: 'group', members }))['_id']
    const first = await send(room)
    await eventually('the first message', () => [owner, stays, leaves, ends].every(({ got }) => got.includes(first)))

    await platform.servers.nats.kill()
    for (const [service, status] of [[gateway, 200], ...nodes.map((node) => [node, 503] as const)] as const) {
      const ready = await readiness(service)
      assert.deepEqual([ready.status, Object.keys(ready.failing)], [status, ['nats']])
    }
    const meanwhile = [await send(room), await send(room)]
    await platform.admin('POST', `/rooms/${String(room)}/delete/members`, { members: ['leaves'] })
    await platform.admin('POST', `/rooms/${String(room)}/members`, { invitees: ['comes'] })
    const revoked = await call(
      gateway.url,
      'DELETE',
      '/admin/clients/ends/token',
      { 'im-api-key': platform.apiKey },
      {},
    )
    assert.equal(revoked.status, 200)
    const afterLeave = await send(room)
    await platform.servers.nats.restart()

    const all = [...meanwhile, afterLeave]
    await eventually('remaining members get everything', () =>
      [owner, stays].every(({ got }) => all.every((id) => got.includes(id))),
    )
    await eventually(
      'the socket with the revoked token is closed for good',
      () => ends.ended === 'io server disconnect',
    )
    const sentNow: string[] = []
    await eventually('the new member gets new messages', async () => {
      sentNow.push(await send(room))
      return sentNow.some((id) => comes.got.includes(id))
    })
    const last = await send(room)
    await eventually('the last message', () => [owner, stays, comes].every(({ got }) => got.includes(last)))
    assert.deepEqual([stays.ended, leaves.ended], [undefined, undefined])
    for (const id of [afterLeave, last]) assert.ok(!leaves.got.includes(id), 'the removed member got a message')
    for (const { socket } of [owner, stays, leaves, comes, ends]) socket.close()
  })

  test('shuts down gracefully while NATS is away', async () => {
    const node = await platform.start('realtime')
    await platform.servers.nats.kill()
    await node.stop()
    await platform.servers.nats.restart()
  })

  test('closes its connections in waves on SIGTERM and serves the remaining ones', async () => {
    const many = await platform.newUser('many')
    await platform.newUser('owner')
    const room = (await platform.admin('POST', '/rooms/', { roomType: 'group', members: ['owner', 'many'] }))['_id']
    const node = await platform.start('realtime', { PARLEY_DRAIN_MS: '15000' })
    nodes[2] = node
    const clients = await Promise.all(Array.from({ length: 24 }, () => connect(many, 2)))
    const stopped = node.stop()
    await eventually('the first has left', () => clients.some(({ ended }) => ended !== undefined))
    const still = () => clients.filter(({ ended }) => ended === undefined)
    const before = still()
    assert.ok(before.length > 0, 'not all at once')
    const id = await send(room)
    await eventually(
      'a message reaches the remaining clients',
      () => still().length === 0 || before.some(({ got }) => got.includes(id)),
    )
    assert.ok(before.some(({ got }) => got.includes(id)))
    await stopped
    await eventually('all have left', () => still().length === 0)
    assert.deepEqual(new Set(clients.map(({ ended }) => ended)), new Set(['transport close']))
  })
})
