import { Worker } from 'node:worker_threads'
import { type ChaosClient, clientKind, startChaosClient } from '../faults/chaos-client.ts'
import { call, eventually } from '../platform.ts'
import { type Calls, countedCalls } from './counted-calls.ts'
import type { TimedCallsOptions, TimedCallsReport } from './timed-calls.ts'

const roomCount = 20

export interface LoadOptions {
  gatewayUrl: string
  realtimeUrl: string
  apiKey: string
  clientKey: string
  clients: number
  /** Messages per second, over all rooms. */
  sends: number
  /** The number of connections on the realtime nodes, by their own count. */
  openConnections: () => Promise<number>
}

/** Observations between two reports. */
export interface Seen extends Calls {
  sent: number
  /** Acknowledged messages that some member never received, live or from the history. */
  lost: number
  /** Messages stored more than once. */
  twice: number
  /** Maximum reconnects of one client. */
  reconnects: number
  /** Reconnects of all clients. */
  allReconnects: number
}

export interface Load {
  clients: readonly ChaosClient[]
  /** Starts sending until the next report. */
  begin(): void
  /** Stops sending, waits until every client is connected and has all messages, and returns the observations since the start. */
  report(): Promise<Seen>
  stop(): void
}

/** Connects all clients, each in two rooms, with transports and encodings in turn. */
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
  const allBack = () => eventually('every client is connected', () => clients.every(({ isBack }) => isBack), 120)
  await allBack()

  const timed: TimedCallsOptions = {
    gatewayUrl,
    admin,
    readers: clients.map(({ headers }) => headers),
    rooms: roomCount,
    sends: options.sends,
  }
  const thread = new Worker(new URL('timed-calls.ts', import.meta.url), { workerData: timed })
  const failed = new Promise<never>((_, reject) => thread.once('error', reject))
  failed.catch(() => undefined)
  let stopped = Promise.withResolvers<Extract<TimedCallsReport, { did: 'stopped' }>>()
  thread.on('message', (report: TimedCallsReport) => {
    if (report.did === 'acknowledged') acknowledged.get(report.room)?.add(report.id)
    else stopped.resolve(report)
  })
  let connectionsBefore: number[] = []

  const lacking = () =>
    clients.reduce((sum, { rooms: own, known }) => {
      const ids = own.map((room) => new Set(known.get(room)?.values()))
      return sum + own.reduce((lacks, room, at) => lacks + countMissing(acknowledged.get(room), ids[at]), 0)
    }, 0)
  const stored = () =>
    rooms.reduce((sum, room) => sum + Math.max(0, ...clients.map(({ known }) => known.get(room)?.size ?? 0)), 0)
  let storedBefore = 0
  let lostBefore = 0

  return {
    clients,
    begin() {
      counted.take()
      connectionsBefore = clients.map(({ connections }) => connections.length)
      storedBefore = stored()
      stopped = Promise.withResolvers()
      thread.postMessage('begin', [])
    },
    async report() {
      thread.postMessage('stop', [])
      const { sent, calls } = await Promise.race([stopped.promise, failed])
      await allBack()
      // A client of a vanished node considers itself connected until it misses a heartbeat.
      await eventually('every client has a node', async () => (await options.openConnections()) >= clients.length, 120)
      await allBack()
      // Messages still missing then are lost.
      await eventually('every client has everything', () => lacking() === 0, 120).catch(() => undefined)
      const lost = lacking() - lostBefore
      lostBefore += lost
      const own = clients.map(({ connections }, n) => connections.length - (connectionsBefore[n] ?? 0))
      return {
        ...combine(calls, counted.take()),
        sent,
        lost,
        twice: Math.max(0, stored() - storedBefore - sent),
        reconnects: Math.max(...own),
        allReconnects: own.reduce((sum, count) => sum + count, 0),
      }
    },
    stop() {
      void thread.terminate()
      for (const { socket } of clients) socket.close()
    },
  }
}

/** Combines timed and untimed calls; the latencies are those of the timed ones. */
function combine(timed: Calls, others: Calls): Calls {
  return {
    ...timed,
    calls: timed.calls + others.calls,
    refused: sums(timed.refused, others.refused),
    unanswered: sums(timed.unanswered, others.unanswered),
  }
}

function sums(one: Record<string, number>, other: Record<string, number>): Record<string, number> {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return Object.fromEntries([...names].map((name) => [name, (one[name] ?? 0) + (other[name] ?? 0)]))
}

function countMissing(of: ReadonlySet<string> = new Set(), have: ReadonlySet<string> = new Set()): number {
  return [...of].filter((id) => !have.has(id)).length
}
