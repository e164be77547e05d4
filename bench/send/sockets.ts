import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { startBenchService } from '../bench-service.ts'
import { cpuSeconds } from '../process-usage.ts'
import { median, quantile } from '../quantile.ts'
import { frame, textFrames, upgradeRequest } from '../sockets/wire.ts'
import { roomIds } from './compare.ts'
import type { Setup } from './setup.ts'

export interface SentBySocket {
  clients: number
  /** Sockets that get each message, including its sender's. */
  listeners: number
  restPerSecond: number
  restP99MS: number
  perSecond: number
  /** From the emit to its acknowledgement. */
  ackP99MS: number
  /** From the emit to `chat message` at each socket of the room. */
  deliveredP50MS: number
  deliveredP99MS: number
  /** Relative to sends by REST. */
  ratio: number
  cpuMicrosecondsPerMessage: Record<string, number>
}

interface Sender {
  user: string
  token: string
  room: string
}

const text = 'x'.repeat(200)

/**
 * Measures sends by socket and by REST in turns: first in a room per sender, then with all senders spread over 16 rooms.
 * @param env additional settings of the node
 */
export async function measureSockets(
  setup: Setup,
  { rounds, seconds, env }: { rounds: number; seconds: number; env: NodeJS.ProcessEnv },
): Promise<SentBySocket[]> {
  const node = await startBenchService('realtime', setup.servers, { PARLEY_REALTIME_EVENTS_PER_SECOND: '0', ...env })
  const port = node.ports['http'] ?? 0
  const rows: SentBySocket[] = []
  for (const clients of [64, 256]) {
    for (const isShared of [false, true]) {
      const senders = await makeSenders(setup, clients, isShared)
      const sockets = await Promise.all(senders.map((sender) => open(port, setup.keys.clientKey, sender)))
      await load(sockets, 2)
      const turns: { rest: Awaited<ReturnType<Setup['send']>>; own: Loaded; cpu: Record<string, number> }[] = []
      for (let round = 0; round < rounds; round++) {
        const requests = senders.map(({ user: sender, room }) =>
          setup.messageRequest({ room, sender, message: text, messageType: 'text', push: false }),
        )
        // The node also delivers these, to the same sockets.
        const rest = await setup.send({ clients, seconds, requests })
        const { mongo, nats } = setup.servers
        const pids = { node: node.pid, mongod: mongo.pid ?? 0, nats: nats.pid ?? 0, generator: process.pid }
        const before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuSeconds(pid)] as const)
        const own = await load(sockets, seconds)
        const used = before.map(([name, pid, was]) => [name, ((cpuSeconds(pid) - was) * 1e6) / own.sent] as const)
        turns.push({ rest, own, cpu: Object.fromEntries(used) })
      }
      for (const { close } of sockets) close()
      const of = (value: (turn: (typeof turns)[number]) => number) => median(turns.map(value))
      rows.push({
        clients,
        listeners: isShared ? clients / roomIds.length : 1,
        restPerSecond: of(({ rest }) => rest.sent),
        restP99MS: of(({ rest }) => rest.p99),
        perSecond: of(({ own }) => own.sent / seconds),
        ackP99MS: of(({ own }) => quantile(own.ackMS, 0.99)),
        deliveredP50MS: of(({ own }) => quantile(own.deliveredMS, 0.5)),
        deliveredP99MS: of(({ own }) => quantile(own.deliveredMS, 0.99)),
        ratio: of(({ own, rest }) => own.sent / seconds / rest.sent),
        cpuMicrosecondsPerMessage: Object.fromEntries(
          Object.keys(turns[0]?.cpu ?? {}).map((name) => [name, of(({ cpu }) => cpu[name] ?? 0)]),
        ),
      })
    }
  }
  await node.stop()
  return rows
}

/** Creates users with a room each, or spread over the 16 rooms. */
async function makeSenders({ post }: Setup, clients: number, isShared: boolean): Promise<Sender[]> {
  const senders: Sender[] = []
  for (let i = 0; i < clients; i++) {
    const user = `sender ${i}`
    const { token } = await post('/admin/clients', { _id: user, issueAccessToken: true })
    const room = isShared ? (roomIds[i % roomIds.length] ?? '') : `room of ${user}`
    if (isShared) await post(`/rooms/${encodeURIComponent(room)}/members`, { invitees: [user] })
    else await post('/rooms/', { _id: room, roomType: 'group', members: [user] })
    senders.push({ user, token: String(token), room })
  }
  return senders
}

interface OpenSocket {
  close: () => void
  /** Emits a message; resolves when it is acknowledged. */
  send: () => Promise<void>
  /** Called for each arriving message, with the time of its emit. */
  heard: (emittedMS: number) => void
}

const timeAfter = '"message":"'

/**
 * Opens a socket that speaks Engine.IO 4 and Socket.IO 5 in plain frames, which is cheaper than a stock client.
 * @throws when the login is refused
 */
async function open(port: number, clientKey: string, { token, room }: Sender): Promise<OpenSocket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  const say = (packet: string) => socket.write(frame(packet))
  const ready = Promise.withResolvers<void>()
  const waiting = new Map<string, PromiseWithResolvers<string>>()
  let emits = 0
  const emit = (json: string): Promise<string> => {
    const id = String(emits++)
    const acknowledged = Promise.withResolvers<string>()
    waiting.set(id, acknowledged)
    say(`42${id}${json}`)
    return acknowledged.promise
  }
  const acknowledge = (packet: string) => {
    const id = packet.slice(2, packet.indexOf('['))
    waiting.get(id)?.resolve(packet)
    waiting.delete(id)
  }
  const read = (packet: string) => {
    if (packet.startsWith('42')) {
      const from = packet.indexOf(timeAfter) + timeAfter.length
      const emittedMS = Number.parseFloat(packet.slice(from, from + 20))
      // Messages by REST have no time.
      if (!Number.isNaN(emittedMS)) opened.heard(emittedMS)
    } else if (packet.startsWith('43')) acknowledge(packet)
    else if (packet === '2') say('3')
    else if (packet.startsWith('0')) say('40')
    else if (packet.startsWith('40')) ready.resolve()
  }
  const end = () => {
    const error = new Error('a socket was closed')
    ready.reject(error)
    for (const { reject } of waiting.values()) reject(error)
  }
  const beginning = `["chat message",{"room":${JSON.stringify(room)},"messageType":"text","message":"`
  const opened: OpenSocket = {
    close: () => socket.destroy(),
    heard: () => undefined,
    async send() {
      const acknowledged = await emit(`${beginning}${performance.now()} ${text}"}]`)
      if (!acknowledged.includes('"RC":0')) throw new Error(acknowledged)
    },
  }
  socket.on('data', textFrames(read))
  socket.on('error', end)
  socket.on('close', end)
  socket.write(upgradeRequest())
  await ready.promise
  const loggedIn = await emit(JSON.stringify(['auth2', token, { clientKey }]))
  if (!loggedIn.includes('"RC":0')) throw new Error(loggedIn)
  return opened
}

interface Loaded {
  sent: number
  ackMS: number[]
  deliveredMS: number[]
}

/** Each socket sends as soon as its previous message is acknowledged. */
async function load(sockets: readonly OpenSocket[], seconds: number): Promise<Loaded> {
  const loaded: Loaded = { sent: 0, ackMS: [], deliveredMS: [] }
  const endMS = performance.now() + seconds * 1_000
  await Promise.all(
    sockets.map(async (opened) => {
      opened.heard = (emittedMS) => loaded.deliveredMS.push(performance.now() - emittedMS)
      while (performance.now() < endMS) {
        const fromMS = performance.now()
        await opened.send()
        loaded.ackMS.push(performance.now() - fromMS)
        loaded.sent++
      }
    }),
  )
  // The last events are still in flight.
  await pause(500)
  return loaded
}
