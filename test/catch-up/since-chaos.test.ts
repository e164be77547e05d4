import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Balanced, startBalanced } from '../faults/balanced.ts'
import { clientKind } from '../faults/chaos-client.ts'
import { call, eventually, type Fields } from '../platform.ts'
import { type DroppingClient, lackedBy, names, startDroppingClient, stateOf } from './dropping-client.ts'

/** `npm run since` sets two minutes and 500 clients. */
const seconds = Number(process.env['PARLEY_SINCE_SECONDS'] ?? 9)
/** The kills begin with one event stream; each restarted process adds one, up to this number. */
const streams = Number(process.env['PARLEY_SINCE_STREAMS'] ?? 1)
const clientCount = seconds < 60 ? 60 : 500
const [hereMS, awayMS] = seconds < 60 ? [3_000, 1_000] : [8_000, 2_000]
const comingAtOnce = 50
/** Longer than others wait for a node or the events of a gateway. */
const stallMS = 6_000
/** Many times the slowest wait on a busy machine. */
const longestSeconds = 240
const roomCount = 12
const actors = 3

describe('clients that drop, while nodes, gateways and NATS are killed and stall', {
  timeout: (seconds + 4 * longestSeconds) * 1000,
}, () => {
  let at: Balanced
  const clients: DroppingClient[] = []
  const tokens: string[] = []
  const ofAll = { PARLEY_STREAMS: '1', PARLEY_STREAM_MAX_BYTES: String(256 * 1024 ** 2) }
  const state = { mayDrop: false, isOver: false, isTrouble: false }
  /** The expected events, by room and by user. */
  const expected = new Map<string, Set<string>>()
  const users = Array.from({ length: clientCount }, (_, n) => `user ${n}`)
  const roomsOf = (n: number) => [...new Set([n % roomCount, (n * 7 + 3) % roomCount])].map((room) => `room ${room}`)

  beforeAll(async () => {
    const settings = { PARLEY_REALTIME_SERVER_TIME_EVERY_MS: '2000' }
    at = await startBalanced({ nodeCount: 2, toKill: ['nats'], settings, ofAll })
    const { platform } = at
    for (const _id of users) {
      const made = await platform.admin('POST', '/admin/clients', { _id, issueAccessToken: true })
      tokens.push(String(made['token']))
    }
    for (let room = 0; room < roomCount; room++) {
      const members = users.filter((_, n) => roomsOf(n).includes(`room ${room}`))
      await platform.newRoom(members, { _id: `room ${room}` })
    }
  })
  afterAll(async () => {
    state.isOver = true
    for (const client of clients) client.stop()
    await at.stop()
  })

  const expect = (whose: string, name: string) => {
    expected.set(whose, (expected.get(whose) ?? new Set()).add(name))
  }

  /** A call that may hit a dying process; undefined unless it succeeded. */
  async function tryCall(
    method: string,
    path: string,
    as: number | 'admin',
    body?: object,
  ): Promise<Fields | undefined> {
    const headers: Record<string, string> =
      as === 'admin'
        ? { 'im-api-key': at.platform.apiKey }
        : {
            'im-client-key': at.platform.clientKey,
            'im-authorization': String(tokens[as]),
            'im-device-id': 'desktop',
          }
    const answer = await call(at.url, method, path, headers, body).catch(() => undefined)
    return answer?.status === 200 ? answer.body.result : undefined
  }

  async function untilBack(what: string, count: number): Promise<void> {
    await eventually(what, () => areBack() >= count, longestSeconds).catch((error: Error) => {
      const away = clients.filter(({ isBack }) => !isBack).map(stateOf)
      throw new Error(`${error.message}: ${away.length} clients are away\n${away.slice(0, 20).join('\n')}`)
    })
  }
  const areBack = () => clients.filter(({ isBack }) => isBack).length
  /** One round of sends. Waits for the clients, since slow clients would have to replay more and more. */
  async function turn(): Promise<void> {
    while (!state.isOver && !state.isTrouble && areBack() < clientCount / 2) await pause(50)
  }

  /** Sends, reacts, reads and sets preferences, as fast as most clients can follow; records the acknowledged changes. */
  async function act(actor: number): Promise<void> {
    for (let i = actor; !state.isOver; i += actors) {
      await turn()
      const member = i % clientCount
      const room = String(roomsOf(member)[0])
      const user = String(users[member])
      const sent = await tryCall('POST', '/messages', 'admin', {
        ...{ room, sender: user, message: `${i}`, messageType: 'text', push: false },
      })
      if (!sent) continue
      const id = String(sent['_id'])
      expect(room, names.message(id))
      const what = i % 3
      if (what === 0) {
        const reacted = await tryCall('POST', `/messages/${id}/reaction`, member, { reaction: '👍' })
        if (reacted) expect(room, names.updated(id, Number(reacted['updatedAtMS'])))
      } else if (what === 1) {
        const path = `/rooms/${encodeURIComponent(room)}/lastRead`
        if (await tryCall('PUT', path, member, { message: id })) expect(room, names.lastRead(room, user, id))
      } else {
        const path = `/roomPrefs/${encodeURIComponent(room)}`
        if (await tryCall('POST', path, member, { folder: `${i}` })) expect(user, names.roomPref(room, `${i}`))
      }
    }
  }

  async function stall(pid: number | undefined): Promise<void> {
    assert.ok(pid)
    process.kill(pid, 'SIGSTOP')
    await pause(stallMS)
    process.kill(pid, 'SIGCONT')
  }

  /** Kills and restarts a node, a gateway and NATS in turn, then stalls each. */
  async function makeTrouble(untilMS: number): Promise<number> {
    let kills = 0
    const { platform, nodes, gateways, balance, newNode, newGateway } = at
    for (; kills < 3 || performance.now() < untilMS; kills++) {
      state.isTrouble = true
      ofAll.PARLEY_STREAMS = String(Math.min(streams, kills + 2))
      const trouble = kills % 6
      if (trouble === 0) {
        await nodes.shift()?.kill()
        balance()
        nodes.push(await newNode())
      } else if (trouble === 1) {
        await platform.servers.nats.kill()
        await tryCall('GET', '/admin/stats', 'admin')
        await platform.servers.nats.restart()
      } else if (trouble === 2) {
        await gateways.shift()?.kill()
        balance()
        gateways.push(await newGateway())
      } else await stall([nodes[0]?.pid, platform.servers.nats.pid, gateways[0]?.pid][trouble - 3])
      balance()
      state.isTrouble = false
      await untilBack('some are back', clientCount / 4)
    }
    return kills
  }

  test('every client gets every event of its rooms without fetching anything', async ({ annotate }) => {
    for (const [n, user] of users.entries()) {
      // If a node died now, all of its clients would reconnect at once, without a time to resume from.
      await eventually('most clients are connected', () => n - areBack() < comingAtOnce, longestSeconds)
      clients.push(
        startDroppingClient({
          ...{ url: at.url, user, token: String(tokens[n]), rooms: roomsOf(n) },
          ...{ ...clientKind(n), hereMS, awayMS, mayDrop: () => state.mayDrop },
        }),
      )
    }
    await untilBack('everybody is there', clientCount)
    state.mayDrop = true
    const acting = Array.from({ length: actors }, (_, n) => act(n))
    const kills = await makeTrouble(performance.now() + seconds * 1000)
    Object.assign(state, { mayDrop: false, isOver: true })
    await Promise.all(acting)

    await untilBack('everybody is back', clientCount)
    const lacking = () => clients.filter((client) => lackedBy(client, expected).length > 0)
    const hasAll = () => lacking().length === 0
    await eventually('every client has every event', hasAll, longestSeconds).catch((error: Error) => {
      const who = lacking().map((client) => {
        const lacks = lackedBy(client, expected)
        return `${stateOf(client)} lacks ${lacks.length}: ${lacks.slice(0, 10).join(', ')}`
      })
      throw new Error(`${error.message}: ${who.length} clients lack events\n${who.slice(0, 20).join('\n')}`)
    })
    const events = [...expected.values()].reduce((sum, { size }) => sum + size, 0)
    const resumed = clients.reduce((sum, client) => sum + client.resumed, 0)
    const refused = clients.reduce((sum, client) => sum + client.refused, 0)
    assert.ok(resumed > clientCount, 'every client dropped')
    await annotate(`${events} events, ${resumed} times resumed, ${refused} times not yet, ${kills} kills`)
  })
})
