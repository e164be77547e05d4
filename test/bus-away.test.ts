import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { Socket } from 'socket.io-client'
import { call, connectClient, eventually, type Platform, type RunningService, startPlatform } from './platform.ts'

suite('a realtime node', { timeout: 120_000 }, () => {
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
  const newUser = async (_id: string) => {
    return String((await admin('POST', '/admin/clients', { _id, issueAccessToken: true }))['token'])
  }
  const send = async (room: unknown) => {
    const sent = await admin('POST', '/messages', { room, sender: 'owner', message: 'x', messageType: 'text' })
    return String(sent['_id'])
  }
  interface Client {
    socket: Socket
    got: string[]
    ended: string | undefined
  }
  async function connect(token: string, node: number): Promise<Client> {
    const socket = await connectClient(nodes[node]?.url ?? '', token)
    const client: Client = { socket, got: [], ended: undefined }
    socket.on('chat message', ({ _id }: { _id: string }) => client.got.push(_id))
    socket.on('disconnect', (reason) => {
      client.ended = reason
    })
    return client
  }

  test('finds out what it missed while NATS was away: messages, who left, who came, whose token ended', async () => {
    const owner = await connect(await newUser('owner'), 0)
    const stays = await connect(await newUser('stays'), 1)
    const leaves = await connect(await newUser('leaves'), 1)
    const comes = await connect(await newUser('comes'), 0)
    const ends = await connect(await newUser('ends'), 1)
    const members = ['owner', 'stays', 'leaves', 'ends']
    const room = (await admin('POST', '/rooms/', { roomType: 'group', members }))['_id']
    const first = await send(room)
    await eventually('the first message', () => [owner, stays, leaves, ends].every(({ got }) => got.includes(first)))

    await platform.servers.nats.kill()
    const meanwhile = [await send(room), await send(room)]
    await admin('POST', `/rooms/${String(room)}/delete/members`, { members: ['leaves'] })
    await admin('POST', `/rooms/${String(room)}/members`, { invitees: ['comes'] })
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
    await eventually('those who stayed get everything', () =>
      [owner, stays].every(({ got }) => all.every((id) => got.includes(id))),
    )
    await eventually('whose token ended is disconnected for good', () => ends.ended === 'io server disconnect')
    await eventually('who came hears what is sent now', async () => comes.got.includes(await send(room)))
    const last = await send(room)
    await eventually('the last message', () => [owner, stays, comes].every(({ got }) => got.includes(last)))
    assert.deepEqual([stays.ended, leaves.ended], [undefined, undefined])
    for (const id of [afterLeave, last]) assert.ok(!leaves.got.includes(id), 'who left heard of it')
    for (const { socket } of [owner, stays, leaves, comes, ends]) socket.close()
  })

  test('stops in order while NATS is away', async () => {
    const node = await platform.start('realtime')
    await platform.servers.nats.kill()
    await node.stop()
    await platform.servers.nats.restart()
  })

  test('lets its clients go in waves on SIGTERM, and serves those who are still there', async () => {
    const token = await newUser('many')
    await newUser('owner')
    const room = (await admin('POST', '/rooms/', { roomType: 'group', members: ['owner', 'many'] }))['_id']
    const node = await platform.start('realtime', { PARLEY_DRAIN_MS: '5000' })
    nodes[2] = node
    const clients = await Promise.all(Array.from({ length: 24 }, () => connect(token, 2)))
    const stopped = node.stop()
    await eventually('the first has left', () => clients.some(({ ended }) => ended !== undefined))
    const still = () => clients.filter(({ ended }) => ended === undefined)
    const before_ = still()
    assert.ok(before_.length > 0, 'not all at once')
    const id = await send(room)
    await eventually(
      'a message reaches those who are still there',
      () => still().length === 0 || before_.some(({ got }) => got.includes(id)),
    )
    assert.ok(before_.some(({ got }) => got.includes(id)))
    await stopped
    await eventually('all have left', () => still().length === 0)
    assert.deepEqual(new Set(clients.map(({ ended }) => ended)), new Set(['transport close']))
  })
})
