import { setTimeout as pause } from 'node:timers/promises'
import { type ChaosClient, clientKind, startChaosClient } from '../faults/chaos-client.ts'
import { call } from '../platform.ts'
import { type Calls, countedCalls } from './counted-calls.ts'

const roomCount = 20
const tryAgainMS = 200

export interface LoadOptions {
  gatewayUrl: string
  realtimeUrl: string
  apiKey: string
  clientKey: string
  clients: number
  /** Messages per second, over all rooms. */
  sends: number
}

/** What was seen between two looks. */
export interface Seen extends Calls {
  sent: number
  /** Of all members of each room together: acknowledged messages that never came, live or from the history. */
  lost: number
  /** Messages that are stored more often than they were sent. */
  twice: number
  /** Of one client, at most. */
  reconnects: number
  /** Of all clients together. */
  allReconnects: number
}

export interface Load {
  clients: readonly ChaosClient[]
  /** Begins to send, until the next look. */
  begin(): void
  /** Stops sending, waits until every client is back and has everything, and returns what there was since the begin. */
  look(): Promise<Seen>
  stop(): void
}

/** Connects all clients: each kind of transport and encoding in turn, each in two rooms. */
export async function startLoad({
  gatewayUrl,
  realtimeUrl,
  apiKey,
  clientKey,
  ...options
}: LoadOptions): Promise<Load> {
  const admin = { 'im-api-key': apiKey }
  const counted = countedCalls(call)
  const users = Array.from({ length: options.clients }, (_, n) => `user ${n}`)
  const rooms = Array.from({ length: roomCount }, (_, n) => `room ${n}`)
  const roomsOf = (n: number) => [...new Set([n % roomCount, (n * 7 + 3) % roomCount])].map((room) => `room ${room}`)
  /** The IDs of acknowledged messages, by room. */
  const acknowledged = new Map(rooms.map((room) => [room, new Set<string>()]))

  const post = async (path: string, body: object) => {
    const { status, body: answer } = await call(gatewayUrl, 'POST', path, admin, body)
    if (status !== 200) throw new Error(`POST ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer.result
  }
  const tokens: string[] = []
  for (const _id of users) tokens.push(String((await post('/admin/clients', { _id, issueAccessToken: true }))['token']))
  for (const _id of rooms) {
    await post('/rooms/', { _id, roomType: 'group', members: users.filter((_, n) => roomsOf(n).includes(_id)) })
  }
  const where = { url: gatewayUrl, socketUrl: realtimeUrl, calls: counted.untimed }
  const clients = tokens.map((token, n) =>
    startChaosClient({ ...where, token, clientKey, rooms: roomsOf(n), ...clientKind(n) }),
  )
  await until('every client is there', () => clients.every(({ isBack }) => isBack))

  const sending = { on: false }
  let all: Promise<unknown> = Promise.resolve()
  let sent = 0
  let connectionsBefore: number[] = []

  /** One message until it is acknowledged: each try has the same key. */
  async function send(i: number): Promise<void> {
    const room = `room ${i % roomCount}`
    const clientMessageID = `message ${i}`
    const text = { room, sender: `user ${i % roomCount}`, message: clientMessageID, messageType: 'text', push: false }
    for (;;) {
      const answer = await counted
        .timed(gatewayUrl, 'POST', '/messages', admin, { ...text, clientMessageID })
        .catch(() => undefined)
      if (answer?.status === 200) {
        acknowledged.get(room)?.add(String(answer.body.result['_id']))
        return
      }
      await pause(tryAgainMS)
    }
  }

  /** At their times, however long the ones before take; every third with a read beside it. */
  async function sendOn(): Promise<void> {
    const beginMS = performance.now()
    const inFlight = new Set<Promise<unknown>>()
    const follow = (work: Promise<unknown>) => {
      inFlight.add(work)
      void work.finally(() => inFlight.delete(work))
    }
    for (let here = 0; sending.on; here++) {
      await pause(Math.max(0, beginMS + (here * 1_000) / options.sends - performance.now()))
      follow(send(sent++))
      const reader = clients[sent % clients.length]
      if (here % 3 === 0 && reader) {
        follow(counted.timed(gatewayUrl, 'GET', '/me/badge', reader.headers).catch(() => undefined))
      }
    }
    await Promise.all(inFlight)
  }

  const lacking = () =>
    clients.reduce((sum, { rooms: own, known }) => {
      const ids = own.map((room) => new Set(known.get(room)?.values()))
      return sum + own.reduce((lacks, room, at) => lacks + countMissing(acknowledged.get(room), ids[at]), 0)
    }, 0)
  const stored = () =>
    rooms.reduce((sum, room) => sum + Math.max(0, ...clients.map(({ known }) => known.get(room)?.size ?? 0)), 0)
  let storedBefore = 0
  let sentBefore = 0
  let lostBefore = 0

  return {
    clients,
    begin() {
      counted.take()
      connectionsBefore = clients.map(({ connections }) => connections.length)
      storedBefore = stored()
      sentBefore = sent
      sending.on = true
      all = sendOn()
    },
    async look() {
      sending.on = false
      await all
      await until('every client is back', () => clients.every(({ isBack }) => isBack))
      // What is still missing then is lost.
      await until('every client has everything', () => lacking() === 0).catch(() => undefined)
      const lost = lacking() - lostBefore
      lostBefore += lost
      const own = clients.map(({ connections }, n) => connections.length - (connectionsBefore[n] ?? 0))
      return {
        ...counted.take(),
        sent: sent - sentBefore,
        lost,
        twice: Math.max(0, stored() - storedBefore - (sent - sentBefore)),
        reconnects: Math.max(...own),
        allReconnects: own.reduce((sum, count) => sum + count, 0),
      }
    },
    stop() {
      sending.on = false
      for (const { socket } of clients) socket.close()
    },
  }
}

function countMissing(of: ReadonlySet<string> = new Set(), have: ReadonlySet<string> = new Set()): number {
  return [...of].filter((id) => !have.has(id)).length
}

async function until(what: string, isSo: () => boolean, withinMS = 120_000): Promise<void> {
  const endMS = performance.now() + withinMS
  while (!isSo()) {
    if (performance.now() > endMS) throw new Error(`not within ${withinMS / 1_000} s: ${what}`)
    await pause(100)
  }
}
