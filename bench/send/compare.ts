import type { Inserted } from '../insert-one.ts'
import { median } from '../quantile.ts'
import type { Sent, Setup } from './setup.ts'

export interface Scene {
  clients: number
  rooms: number
  /** Size of a message's text. */
  bytes: number
  gateways: number
}

export interface Compared extends Scene {
  insertOnePerSecond: number
  /** The bare server's rate (bare-server.ts) relative to insertOne's. */
  bareRatio: number
  bareP99Ratio: number
  bareCpuMicrosecondsPerMessage: Record<string, number>
  sentPerSecond: number
  p99MS: number
  insertOneP99MS: number
  ratio: number
  p99Ratio: number
  cpuMicrosecondsPerMessage: Record<string, number>
  cpuMicrosecondsPerInsertOne: number
}

export const heading =
  'clients rooms  bytes gateways   insertOne/s   p99 ms   POST /messages/s   p99 ms   ratio   of p99   bare server   of p99   CPU µs per message'

/** Measures bare insertOne, the bare server and sends of the same size in turns; returns medians. */
export async function compare(
  setup: Setup,
  scene: Scene,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Compared> {
  const { clients, bytes, gateways } = scene
  if (await setup.haveGateways(gateways)) await warmUp(setup, gateways)
  const sends = { clients, gateways, requests: requestsOf(setup, scene) }
  await setup.sendBare({ ...sends, seconds: 1 })
  await setup.send({ ...sends, seconds: 1 })
  const turns: { insert: Inserted & { cpu: number }; bare: Sent; own: Sent }[] = []
  for (let round = 0; round < rounds; round++) {
    const insert = await setup.insertOne({ clients, seconds, bytes })
    const bare = await setup.sendBare({ ...sends, seconds })
    turns.push({ insert, bare, own: await setup.send({ ...sends, seconds }) })
  }
  const of = (value: (turn: (typeof turns)[number]) => number) => median(turns.map(value))
  const cpuOf = (whose: 'bare' | 'own') => {
    const names = Object.keys(turns[0]?.[whose].cpu ?? {})
    return Object.fromEntries(names.map((name) => [name, of((turn) => turn[whose].cpu[name] ?? 0)]))
  }
  return {
    ...scene,
    insertOnePerSecond: of(({ insert }) => insert.perSecond),
    sentPerSecond: of(({ own }) => own.sent),
    p99MS: of(({ own }) => own.p99),
    insertOneP99MS: of(({ insert }) => insert.p99),
    ratio: of(({ own, insert }) => own.sent / insert.perSecond),
    p99Ratio: of(({ own, insert }) => own.p99 / insert.p99),
    bareRatio: of(({ bare, insert }) => bare.sent / insert.perSecond),
    bareP99Ratio: of(({ bare, insert }) => bare.p99 / insert.p99),
    cpuMicrosecondsPerMessage: cpuOf('own'),
    bareCpuMicrosecondsPerMessage: cpuOf('bare'),
    cpuMicrosecondsPerInsertOne: of(({ insert }) => insert.cpu),
  }
}

/**
 * Sends until the gateways' code is compiled, for at most 15 s per gateway. Before that a message costs twice as much, and
 * a round is too short to compile it.
 */
export async function warmUp(setup: Setup, gateways = 1): Promise<void> {
  const scene = { clients: 64, rooms: roomIds.length, bytes: 200, gateways }
  await setup.sendBare({ ...scene, requests: requestsOf(setup, scene), seconds: 4 })
  for (let left = 20_000 * gateways, turns = 0; left > 0 && turns < 7 * gateways; turns++) {
    const { sent } = await setup.send({ ...scene, requests: requestsOf(setup, scene), seconds: 2 })
    left -= sent * 2
  }
}

export function toLine(row: Compared): string {
  const cpu = Object.entries(row.cpuMicrosecondsPerMessage).map(([name, used]) => `${name} ${used.toFixed(0)}`)
  const bare = Object.values(row.bareCpuMicrosecondsPerMessage).reduce((sum, used) => sum + used, 0)
  return [
    String(row.clients).padStart(7),
    String(row.rooms).padStart(5),
    String(row.bytes).padStart(6),
    String(row.gateways).padStart(8),
    row.insertOnePerSecond.toFixed(0).padStart(13),
    row.insertOneP99MS.toFixed(1).padStart(8),
    row.sentPerSecond.toFixed(0).padStart(18),
    row.p99MS.toFixed(1).padStart(8),
    row.ratio.toFixed(2).padStart(7),
    row.p99Ratio.toFixed(2).padStart(8),
    row.bareRatio.toFixed(2).padStart(13),
    row.bareP99Ratio.toFixed(2).padStart(8),
    `  ${cpu.join(', ')}; bare server, all ${bare.toFixed(0)}; insertOne ${row.cpuMicrosecondsPerInsertOne.toFixed(0)}`,
  ].join(' ')
}

export const users = Array.from({ length: 10 }, (_, i) => `user ${i}`)
export const roomIds = Array.from({ length: 16 }, (_, i) => `room ${i}`)

function requestsOf(setup: Setup, { rooms, bytes }: Scene): Buffer[] {
  return roomIds
    .slice(0, rooms)
    .flatMap((room) =>
      users.map((sender) =>
        setup.messageRequest({ room, sender, message: 'x'.repeat(bytes), messageType: 'text', push: false }),
      ),
    )
}
