import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type RunningService } from '../platform.ts'
import { type Balanced, startBalanced } from './balanced.ts'
import { type ChaosClient, clientKind, describeMissing, silentlyLost, startChaosClient } from './chaos-client.ts'

/** `npm run chaos` sets a minute. */
const seconds = Number(process.env['PARLEY_CHAOS_SECONDS'] ?? 6)
const clientCount = Number(process.env['PARLEY_CHAOS_CLIENTS'] ?? 100)
/** Many times the slowest wait on a busy machine. */
const longestSeconds = 240
const roomCount = 20
const senders = 4

describe('nodes that are killed, drained and restarted under load', {
  timeout: (seconds + 4 * longestSeconds) * 1000,
}, () => {
  let at: Balanced
  let clients: ChaosClient[] = []
  const sending = { on: false }
  const admin = () => ({ 'im-api-key': at.platform.apiKey })

  beforeAll(async () => {
    at = await startBalanced({ nodeCount: 3 })
  })
  afterAll(async () => {
    sending.on = false
    for (const { socket } of clients) socket.close()
    await at.stop()
  })

  const post = async (path: string, body: object) => {
    const answer = await call(at.url, 'POST', path, admin(), body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }

  async function connectClients(): Promise<void> {
    const users = Array.from({ length: clientCount }, (_, n) => `user ${n}`)
    const rooms = Array.from({ length: roomCount }, (_, n) => `room ${n}`)
    const roomsOf = (n: number) => [...new Set([n % roomCount, (n * 7 + 3) % roomCount])].map((room) => `room ${room}`)
    const tokens = await Promise.all(
      users.map(async (_id) => String((await post('/admin/clients', { _id, issueAccessToken: true }))['token'])),
    )
    for (const room of rooms) {
      const members = users.filter((_, n) => roomsOf(n).includes(room))
      await post('/rooms/', { _id: room, roomType: 'group', members })
    }
    clients = tokens.map((token, n) => {
      const { clientKey } = at.platform
      return startChaosClient({ url: at.url, token, clientKey, rooms: roomsOf(n), ...clientKind(n) })
    })
  }

  /** Sends continuously to all rooms; returns the acknowledged IDs, by room. */
  async function send(): Promise<Map<string, Set<string>>> {
    const acknowledged = new Map<string, Set<string>>()
    const one = async (sender: number) => {
      for (let i = sender; sending.on; i += senders) {
        const room = `room ${i % roomCount}`
        const message = { room, sender: `user ${i % roomCount}`, message: `${i}`, messageType: 'text', push: false }
        const answer = await call(at.url, 'POST', '/messages', admin(), message).catch(() => undefined)
        if (answer?.status !== 200) continue
        acknowledged.set(room, (acknowledged.get(room) ?? new Set()).add(String(answer.body.result['_id'])))
      }
    }
    await Promise.all(Array.from({ length: senders }, (_, n) => one(n)))
    return acknowledged
  }

  /** Alternately kills and restarts a node, and drains and replaces one. */
  async function makeTrouble(untilMS: number): Promise<{ killed: number; drained: number }> {
    const done = { killed: 0, drained: 0 }
    const { nodes, balance, newNode } = at
    while (performance.now() < untilMS || done.drained === 0) {
      const victim = nodes.shift() as RunningService
      if (done.killed <= done.drained) {
        await victim.kill()
        balance()
        done.killed++
      } else {
        balance()
        await victim.stop()
        done.drained++
      }
      nodes.push(await newNode())
      balance()
      const areMostBack = () => clients.filter(({ isBack }) => isBack).length > clientCount * 0.8
      await eventually('most are back', areMostBack, longestSeconds).catch((error: Error) => {
        const away = clients.filter(({ isBack }) => !isBack).map(({ ends }) => ends.slice(-5))
        throw new Error(`${error.message}\n${JSON.stringify(away)}`)
      })
    }
    return done
  }

  test('every client gets every message of its rooms once and in order, and none of other rooms', async ({
    annotate,
  }) => {
    await connectClients()
    await eventually('every client is connected', () => clients.every(({ isBack }) => isBack), longestSeconds)
    sending.on = true
    const sent = send()
    const trouble = await makeTrouble(performance.now() + seconds * 1000)
    sending.on = false
    const acknowledged = await sent

    const history = new Map<string, string[]>()
    for (const room of acknowledged.keys()) history.set(room, await wholeHistory(room))
    for (const [room, ids] of acknowledged) {
      const stored = new Set(history.get(room))
      assert.ok(
        [...ids].every((id) => stored.has(id)),
        `${room} lost an acknowledged message`,
      )
    }
    const has = ({ known, rooms }: ChaosClient) =>
      rooms.every((room) => known.get(room)?.size === (history.get(room) ?? []).length)
    await eventually('every client has every message', () => clients.every(has), longestSeconds).catch(
      (error: Error) => {
        throw new Error(`${error.message}\n${describeMissing(clients, history)}`)
      },
    )
    for (const { known, rooms, wrong } of clients) {
      assert.deepEqual(wrong, [])
      for (const room of rooms) {
        const inOrder = [...(known.get(room) ?? [])].toSorted(([a], [b]) => a - b).map(([, id]) => id)
        assert.deepEqual(inOrder, history.get(room) ?? [])
      }
    }
    assert.deepEqual(
      clients.flatMap((client) => silentlyLost(client, senders)),
      [],
      'no connection missed a message while it was open',
    )
    assert.ok(trouble.killed > 0 && trouble.drained > 0, JSON.stringify(trouble))
    const messages = [...history.values()].reduce((sum, ids) => sum + ids.length, 0)
    const connections = clients.reduce((sum, client) => sum + client.connections.length, 0)
    await annotate(`${messages} messages, ${connections} connections, ${JSON.stringify(trouble)}`)
  })

  /** All message IDs of a room from its history, in order of seq, without gaps. */
  async function wholeHistory(room: string): Promise<string[]> {
    const member = clients.find(({ rooms }) => rooms.includes(room)) as ChaosClient
    const { body } = await call(at.url, 'GET', `/rooms/${encodeURIComponent(room)}/messages/v3?limit=1`, member.headers)
    const count = Number(body.result['totalCount'])
    const ids: string[] = []
    for (let after = 'afterTime=0'; ids.length < count; after = `afterMessage=${ids.at(-1)}`) {
      const path = `/rooms/${encodeURIComponent(room)}/messages/v3?limit=500&${after}`
      const page = (await call(at.url, 'GET', path, member.headers)).body.result['data'] as {
        _id: string
        seq: number
      }[]
      for (const { _id, seq } of page) {
        assert.equal(seq, ids.length + 1, `${room}: seq without holes`)
        ids.push(_id)
      }
    }
    return ids
  }
})
