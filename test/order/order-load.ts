import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { io, type Socket } from 'socket.io-client'
import { eventually, type Platform, type PlatformUser, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'
import { createHeardOrder, type HeardOrder, orderingKeyOf, type Placed } from './heard-order.ts'

export interface OrderOptions {
  /** Stops after this many events at sockets, or this many seconds. */
  events: number
  seconds: number
  /** How long nodes wait for an earlier message; absent for their default. */
  orderWaitMS?: number
}

export interface OrderResults {
  messages: number
  events: number
  messagesPerSecond: number
  inversions: readonly string[]
  lost: number
  duplicates: readonly string[]
  /** Number of logins with `since` that were resumed, and that were not. */
  resumed: number
  notResumed: number
  p50MS: number
  p99MS: number
  /** `parley_realtime_order_waits_total` of both nodes, by outcome. */
  waits: Readonly<Record<string, number>>
}

const roomCount = 6
const memberCount = 10
/** Besides these, one sender waits for each response and alternates between the gateways. */
const sendersPerRoom = 3
const droppers = 2
const dropEveryMS = 2_000

/**
 * Sends messages, threads, edits and deletions through two gateways at full speed to clients of two realtime nodes, some of
 * which keep reconnecting with `since`. Checks the order in which each client gets them.
 */
export async function runOrderLoad({ events, seconds, orderWaitMS }: OrderOptions): Promise<OrderResults> {
  const platform = await startPlatform()
  const agent = new Agent({ keepAlive: true })
  const clients: Client[] = []
  try {
    const { start } = platform
    const gateways = await Promise.all([start('api-gateway'), start('api-gateway')])
    const settings = orderWaitMS === undefined ? {} : { PARLEY_REALTIME_ORDER_WAIT_MS: String(orderWaitMS) }
    const nodes = await Promise.all([start('realtime', settings), start('realtime', settings)])
    const members = await Promise.all(Array.from({ length: memberCount }, () => platform.newUser()))
    const comers = await Promise.all(Array.from({ length: droppers }, () => platform.newUser()))
    const rooms: string[] = []
    for (let n = 0; n < roomCount; n++) {
      // Each reconnect replays the last 15 seconds. With a single room, clients keep up.
      const own = comers.filter((_, i) => i === n)
      rooms.push(await platform.newRoom([...members, ...own].map(({ id }) => id)))
    }
    const state: State = { isOver: false, counts: new Map(), placed: new Map(), tookMS: [], messages: 0 }
    const nodeOf = (n: number) => (nodes[n % 2] as { url: string }).url
    clients.push(...members.map((user, n) => openClient(`member ${n}`, nodeOf(n), user, [...rooms], state, n < 2)))
    clients.push(...comers.map((user, n) => openClient(`comer ${n}`, nodeOf(n), user, [rooms[n] ?? ''], state)))
    await Promise.all(clients.map((client) => client.login()))

    const beganMS = performance.now()
    const send = createSender(
      platform,
      agent,
      gateways.map(({ url }) => url),
      state,
    )
    const work = [
      ...rooms.flatMap((room) => [...Array(sendersPerRoom).keys()].map((n) => send.side(room, members[n]?.id ?? ''))),
      ...rooms.map((room) => send.inTurn(room, members[sendersPerRoom]?.id ?? '')),
      ...clients.slice(memberCount).map((client) => comeAndGo(client, state)),
    ]
    const all = () => clients.reduce((sum, { heard }) => sum + heard.events, 0)
    while (all() < events && performance.now() < beganMS + seconds * 1000) await pause(100)
    state.isOver = true
    await Promise.all(work)
    const tookS = (performance.now() - beganMS) / 1000
    const lost = () => clients.reduce((sum, client) => sum + lackedBy(client, state), 0)
    await eventually('all has arrived', () => lost() === 0, 30).catch(() => undefined)
    const sorted = state.tookMS.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
    const sum = (of: (client: Client) => number) => clients.reduce((total, client) => total + of(client), 0)
    return {
      messages: state.messages,
      events: all(),
      messagesPerSecond: state.messages / tookS,
      inversions: clients.flatMap(({ heard }) => heard.inversions),
      lost: lost(),
      duplicates: clients.flatMap(({ heard }) => heard.duplicates),
      resumed: sum(({ resumed }) => resumed),
      notResumed: sum(({ notResumed }) => notResumed),
      ...{ p50MS: at(0.5), p99MS: at(0.99), waits: await waitsOf(nodes) },
    }
  } finally {
    for (const { socket } of clients) socket.disconnect()
    agent.destroy()
    await platform.stop()
  }
}

interface State {
  isOver: boolean
  /** The number of messages per room and thread. */
  counts: Map<string, number>
  /** Sent messages by ID, to find the room of a deletion. */
  placed: Map<string, Placed>
  tookMS: number[]
  messages: number
}

interface Client {
  socket: Socket
  rooms: readonly string[]
  heard: HeardOrder
  resumed: number
  notResumed: number
  /** Connects and authenticates with its last server time. */
  login(): Promise<void>
}

function openClient(
  name: string,
  url: string,
  { token }: PlatformUser,
  rooms: readonly string[],
  state: State,
  isTimed = false,
): Client {
  const socket = io(url, { transports: ['websocket'], autoConnect: false, reconnection: false, forceNew: true })
  const heard = createHeardOrder(name)
  let since: number | undefined
  const client: Client = {
    ...{ socket, rooms, heard, resumed: 0, notResumed: 0 },
    async login() {
      heard.reconnected()
      socket.connect()
      await eventually('connected', () => socket.connected)
      const { RC, RM, result } = await socket.timeout(60_000).emitWithAck('auth2', token, { since: since ?? 0 })
      if (RC !== 0) throw new Error(RM)
      if (since !== undefined && result.resumed) client.resumed++
      else if (since !== undefined) client.notResumed++
      since = result.serverTimeMS
    },
  }
  const note = (message: Placed & { message: unknown }) => {
    const sentMS = Number(message.message)
    if (heard.message(message) && isTimed && sentMS > 0) state.tookMS.push(performance.now() - sentMS)
  }
  socket.on('chat message', note)
  socket.on('thread message', note)
  socket.on('messageUpdated', (message: Placed) => heard.change('messageUpdated', message))
  socket.on('messageDeleted', ({ messageID }: { messageID: string }) => {
    const message = state.placed.get(messageID)
    if (message) heard.change('messageDeleted', message)
  })
  return client
}

async function comeAndGo(client: Client, state: State): Promise<void> {
  while (!state.isOver) {
    await pause(dropEveryMS)
    client.socket.disconnect()
    await pause(dropEveryMS / 4)
    await client.login()
  }
}

function lackedBy({ rooms, heard }: Client, { counts }: State): number {
  const own = [...counts].filter(([orderingKey]) => rooms.some((room) => orderingKey.startsWith(room)))
  return own.reduce((sum, [orderingKey, count]) => sum + heard.lacks(orderingKey, count), 0)
}

/** Creates a sender, which sends until the load is over. */
function createSender({ apiKey }: Platform, agent: Agent, urls: readonly string[], state: State) {
  let sent = 0

  async function post(url: string, path: string, body: object, method = 'POST'): Promise<Placed> {
    const { status, text } = await fetchText(agent, url + path, method, { 'im-api-key': apiKey }, JSON.stringify(body))
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
    return JSON.parse(text).result
  }
  const urlOf = (n: number) => urls[n % urls.length] as string

  async function say(n: number, room: string, sender: string, more: object = {}): Promise<Placed> {
    const body = { room, sender, message: String(performance.now()), messageType: 'text', push: false, ...more }
    const message = await post(urlOf(n), '/messages', body)
    state.messages++
    const orderingKey = orderingKeyOf(message)
    state.counts.set(orderingKey, Math.max(state.counts.get(orderingKey) ?? 0, message.seq))
    return message
  }

  /** Edits or deletes a message right after it was sent, through the other gateway. */
  async function change(n: number, message: Placed, sender: string): Promise<void> {
    const { room, _id } = message
    if (n % 3 === 0) {
      state.placed.set(_id, message)
      await post(urlOf(n + 1), `/rooms/${room}/messages/${_id}`, {}, 'DELETE')
    } else await post(urlOf(n + 1), `/rooms/${room}/message`, { _id, sender, message: 'edited', messageType: 'text' })
  }

  return {
    async side(room: string, sender: string): Promise<void> {
      let root: Placed | undefined
      while (!state.isOver) {
        const n = sent++
        const replyTo = root && n % 50 < 2 ? { replyTo: root._id, thread: true } : {}
        const message = await say(Math.floor(Math.random() * 2), room, sender, replyTo)
        if (message.threadOf === undefined && (!root || n % 400 === 0)) root = message
        else if (n % 40 === 0) await change(n / 40, message, sender)
      }
    },
    async inTurn(room: string, sender: string): Promise<void> {
      for (let n = 0; !state.isOver; n++) await say(n, room, sender)
    },
  }
}

function fetchText(agent: Agent, url: string, method: string, headers: Record<string, string>, body: string) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const all = { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const call = request(url, { agent, method, headers: all }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
      response.on('error', reject)
    })
    call.on('error', reject)
    call.end(body)
  })
}

async function waitsOf(nodes: readonly { ports: Record<string, number> }[]): Promise<Record<string, number>> {
  const waits: Record<string, number> = {}
  for (const { ports } of nodes) {
    const text = await metricsOf({ ports })
    for (const [, outcome = '', count] of text.matchAll(
      /^parley_realtime_order_waits_total\{.*outcome="([^"]+)".*\} (\d+)/gm,
    ))
      waits[outcome] = (waits[outcome] ?? 0) + Number(count)
  }
  return waits
}
