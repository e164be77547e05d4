import { setTimeout as pause } from 'node:timers/promises'
import { startBenchService } from '../bench-service.ts'
import { cpuSeconds } from '../process-usage.ts'
import { median, quantile } from '../quantile.ts'
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

/** Measures sends by socket and by REST in turns: first in a room per sender, then with all senders spread over 16 rooms. */
export async function measureSockets(
  setup: Setup,
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<SentBySocket[]> {
  const node = await startBenchService('realtime', setup.servers, { PARLEY_REALTIME_EVENTS_PER_SECOND: '0' })
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
        const pids = { node: node.pid, mongod: setup.servers.mongo.pid ?? 0, nats: setup.servers.nats.pid ?? 0 }
        const before = Object.entries(pids).map(([name, pid]) => [name, pid, cpuSeconds(pid)] as const)
        const own = await load(sockets, seconds)
        const used = before.map(([name, pid, was]) => [name, ((cpuSeconds(pid) - was) * 1e6) / own.sent] as const)
        turns.push({ rest, own, cpu: Object.fromEntries(used) })
      }
      for (const { socket } of sockets) socket.close()
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
  socket: WebSocket
  /** Emits a message; resolves when it is acknowledged. */
  send: () => Promise<void>
  /** Called for each arriving message, with the time of its emit. */
  heard: (emittedMS: number) => void
}

/**
 * Opens a socket that speaks Engine.IO 4 and Socket.IO 5 in plain frames, which is cheaper than a stock client.
 * @throws when the login is refused
 */
async function open(port: number, clientKey: string, { token, room }: Sender): Promise<OpenSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`)
  const ready = Promise.withResolvers<void>()
  const waiting = new Map<string, (answer: string) => void>()
  let emits = 0
  const emit = (event: string, ...values: unknown[]): Promise<string> => {
    const id = String(emits++)
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      socket.send(`42${id}${JSON.stringify([event, ...values])}`)
    })
  }
  const opened: OpenSocket = {
    socket,
    heard: () => undefined,
    async send() {
      const answer = await emit('chat message', { room, message: `${performance.now()} ${text}`, messageType: 'text' })
      if (!answer.includes('"RC":0')) throw new Error(answer)
    },
  }
  socket.addEventListener('message', ({ data }) => {
    const packet = String(data)
    if (packet.startsWith('42')) {
      const emittedMS = /"message":"([\d.]+) x/.exec(packet)?.[1]
      if (emittedMS !== undefined) opened.heard(Number(emittedMS))
    } else if (packet.startsWith('43')) {
      const [, id = ''] = /^43(\d+)/.exec(packet) ?? []
      waiting.get(id)?.(packet)
      waiting.delete(id)
    } else if (packet === '2') socket.send('3')
    else if (packet.startsWith('0')) socket.send('40')
    else if (packet.startsWith('40')) ready.resolve()
  })
  socket.addEventListener('error', () => ready.reject(new Error('a socket was refused')))
  await ready.promise
  const answer = await emit('auth2', token, { clientKey })
  if (!answer.includes('"RC":0')) throw new Error(answer)
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
