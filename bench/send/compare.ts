import { median } from '../median.ts'
import type { Ground, Sent } from './ground.ts'

export interface Scene {
  clients: number
  rooms: number
  /** Of a message's text. */
  bytes: number
  gateways: number
}

export interface Compared extends Scene {
  insertOnePerSecond: number
  sentPerSecond: number
  p99MS: number
  insertOneP99MS: number
  ratio: number
  p99Ratio: number
  cpuMicrosecondsPerMessage: Record<string, number>
  cpuMicrosecondsPerInsertOne: number
}

export const heading =
  'clients rooms  bytes gateways   insertOne/s   p99 ms   POST /messages/s   p99 ms   ratio   of p99   CPU µs per message'

/** Sends and bare insertOne of the same size in turns; the medians of what they come to. */
export async function compare(
  ground: Ground,
  scene: Scene,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Compared> {
  const { clients, bytes, gateways } = scene
  if (await ground.haveGateways(gateways)) await warmUp(ground, gateways)
  const sends = { clients, gateways, requests: requestsOf(ground, scene) }
  await ground.send({ ...sends, seconds: 1 })
  const turns: ({ bare: number; bareP99: number; bareCpu: number } & Sent)[] = []
  for (let round = 0; round < rounds; round++) {
    const { perSecond: bare, p99: bareP99, cpu: bareCpu } = await ground.insertOne({ clients, seconds, bytes })
    turns.push({ bare, bareP99, bareCpu, ...(await ground.send({ ...sends, seconds })) })
  }
  const of = (value: (turn: (typeof turns)[number]) => number) => median(turns.map(value))
  const names = Object.keys(turns[0]?.cpu ?? {})
  return {
    ...scene,
    insertOnePerSecond: of(({ bare }) => bare),
    sentPerSecond: of(({ sent }) => sent),
    p99MS: of(({ p99 }) => p99),
    insertOneP99MS: of(({ bareP99 }) => bareP99),
    ratio: of(({ sent, bare }) => sent / bare),
    p99Ratio: of(({ p99, bareP99 }) => p99 / bareP99),
    cpuMicrosecondsPerMessage: Object.fromEntries(names.map((name) => [name, of(({ cpu }) => cpu[name] ?? 0)])),
    cpuMicrosecondsPerInsertOne: of(({ bareCpu }) => bareCpu),
  }
}

/**
 * Sends until what the gateways run is compiled, which takes longer than a turn: before, a message costs twice as much. For
 * a quarter of a minute each at most.
 */
export async function warmUp(ground: Ground, gateways = 1): Promise<void> {
  const scene = { clients: 64, rooms: roomIds.length, bytes: 200, gateways }
  for (let left = 20_000 * gateways, turns = 0; left > 0 && turns < 7 * gateways; turns++) {
    const { sent } = await ground.send({ ...scene, requests: requestsOf(ground, scene), seconds: 2 })
    left -= sent * 2
  }
}

export function toLine(row: Compared): string {
  const cpu = Object.entries(row.cpuMicrosecondsPerMessage).map(([name, used]) => `${name} ${used.toFixed(0)}`)
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
    `  ${cpu.join(', ')}; insertOne ${row.cpuMicrosecondsPerInsertOne.toFixed(0)}`,
  ].join(' ')
}

export const users = Array.from({ length: 10 }, (_, i) => `user ${i}`)
export const roomIds = Array.from({ length: 16 }, (_, i) => `room ${i}`)

function requestsOf(ground: Ground, { rooms, bytes }: Scene): Buffer[] {
  return roomIds
    .slice(0, rooms)
    .flatMap((room) =>
      users.map((sender) =>
        ground.messageRequest({ room, sender, message: 'x'.repeat(bytes), messageType: 'text', push: false }),
      ),
    )
}
