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
  /** CPU time of all processes per message, relative to insertOne's. */
  cpuRatio: number
}

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
    cpuRatio: of(({ own, insert }) => sum(own.cpu) / insert.cpu),
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

export function toRow(row: Compared): Record<string, string | number> {
  const { cpuMicrosecondsPerMessage: own, bareCpuMicrosecondsPerMessage: bare, ...figures } = row
  return { ...figures, ...inMicroseconds(own), 'bare server, CPU µs': sum(bare) }
}

function sum(cpu: Readonly<Record<string, number>>): number {
  return Object.values(cpu).reduce((total, used) => total + used, 0)
}

export function inMicroseconds(cpu: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(cpu).map(([name, used]) => [`${name}, CPU µs`, used]))
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
