import { io, type Socket } from 'socket.io-client'
import { call } from '../platform.ts'

interface ChatMessage {
  _id: string
  room: string
  seq: number
}

/** The seqs of a room received live on one connection. */
interface Heard {
  isOver: boolean
  byRoom: Map<string, Set<number>>
}

export interface ChaosClient {
  socket: Socket
  /** The headers of its calls. */
  headers: Record<string, string>
  rooms: readonly string[]
  /** IDs by room and seq, from live events and fetches. */
  known: Map<string, Map<number, string>>
  /** Wrong events: from other rooms, or two messages with the same seq. */
  wrong: string[]
  connections: Heard[]
  fetched: number
  isBack: boolean
  /** The last ends of its connections and logins with their reasons, for failure messages. */
  ends: string[]
}

/** The transport of a client, and its encoding. */
export interface ClientKind {
  transports: string[]
  encoding: 'plain' | 'base64'
}

const clientKinds: readonly ClientKind[] = [
  { transports: ['websocket'], encoding: 'plain' },
  { transports: ['polling', 'websocket'], encoding: 'base64' },
  { transports: ['polling'], encoding: 'plain' },
  { transports: ['websocket'], encoding: 'base64' },
  { transports: ['polling', 'websocket'], encoding: 'plain' },
  { transports: ['polling'], encoding: 'base64' },
]

/** The kind of the nth client; all kinds take turns. */
export function clientKind(n: number): ClientKind {
  const { transports, encoding } = clientKinds[n % clientKinds.length] as ClientKind
  return { transports: [...transports], encoding }
}

export interface ChaosClientOptions extends ClientKind {
  url: string
  /** The address of the sockets, if not at `url`. */
  socketUrl?: string
  /** Replaces `call`, for example to count its calls. */
  calls?: typeof call
  token: string
  clientKey: string
  rooms: readonly string[]
}

/**
 * An app as in docs/reference/socket.md: a stock client that reconnects by itself. After every connect it chooses its
 * encoding, authenticates, and fetches missed messages from the history.
 */
export function startChaosClient(options: ChaosClientOptions): ChaosClient {
  const { url, socketUrl = url, calls = call, token, rooms, transports, encoding } = options
  const socket = io(socketUrl, {
    transports,
    forceNew: true,
    reconnectionDelay: 200,
  })
  const client: ChaosClient = {
    socket,
    headers: { 'im-client-key': options.clientKey, 'im-authorization': token },
    rooms,
    known: new Map(rooms.map((room) => [room, new Map()])),
    wrong: [],
    connections: [],
    fetched: 0,
    isBack: false,
    ends: [],
  }
  let current: Heard | undefined

  function learn({ _id, room, seq }: ChatMessage): void {
    const known = client.known.get(room)
    if (!known) client.wrong.push(`a message of ${room}`)
    else if ((known.get(seq) ?? _id) !== _id) client.wrong.push(`${room} has two messages ${seq}`)
    else known.set(seq, _id)
  }

  async function enter(): Promise<void> {
    const mine: Heard = { isOver: false, byRoom: new Map() }
    await socket.timeout(20_000).emitWithAck('conf', { encoding })
    current = mine
    const answer = (await socket.timeout(20_000).emitWithAck('auth2', token, { clientKey: options.clientKey })) as {
      RC: number
      RM: string
    }
    if (answer.RC !== 0) throw new Error(answer.RM)
    client.connections.push(mine)
    for (const room of rooms) await fetchMissed(client, room, (path) => calls(url, 'GET', path, client.headers), learn)
    if (current === mine && socket.connected) client.isBack = true
  }

  socket.on('connect', () => {
    // After any failure, for example if the node died again, reconnect and start over.
    enter().catch((error: Error) => {
      client.ends.push(`login: ${error.message}`)
      socket.io.engine.close()
    })
  })
  socket.on('connect_error', (error) => client.ends.push(`connect: ${error.message}`))
  socket.on('disconnect', (reason) => {
    client.ends.push(reason)
    client.isBack = false
    if (current) current.isOver = true
    current = undefined
  })
  socket.on('chat message', (payload: unknown) => {
    const message = (
      typeof payload === 'string' ? JSON.parse(Buffer.from(payload, 'base64').toString()) : payload
    ) as ChatMessage
    learn(message)
    if (!current) return
    const heard = current.byRoom.get(message.room) ?? new Set()
    current.byRoom.set(message.room, heard.add(message.seq))
  })
  return client
}

/** For each client that lacks part of the history (IDs by room): its state, and the missing IDs. */
export function describeMissing(
  clients: readonly ChaosClient[],
  history: ReadonlyMap<string, readonly string[]>,
): string {
  return clients
    .flatMap(({ socket, rooms, known, isBack, ends }, n) => {
      const lacking = rooms.flatMap((room) => {
        const seqs = (history.get(room) ?? []).flatMap((_, i) => (known.get(room)?.has(i + 1) ? [] : [i + 1]))
        return seqs.length > 0 ? [`${room}: ${seqs.slice(0, 10).join(' ')} (${seqs.length})`] : []
      })
      if (lacking.length === 0) return []
      const state = { connected: socket.connected, active: socket.active, isBack, ends: ends.slice(-5) }
      return [`client ${n} ${JSON.stringify(state)} lacks ${lacking.join('; ')}`]
    })
    .join('\n')
}

/** Pages through the history after the last message before the first gap. */
async function fetchMissed(
  client: ChaosClient,
  room: string,
  get: (path: string) => ReturnType<typeof call>,
  learn: (message: ChatMessage) => void,
): Promise<void> {
  const known = client.known.get(room) as Map<number, string>
  for (;;) {
    let last = 0
    while (known.has(last + 1)) last++
    const after = last === 0 ? 'afterTime=0' : `afterMessage=${known.get(last)}`
    const path = `/rooms/${encodeURIComponent(room)}/messages/v3?limit=500&${after}`
    const { status, body } = await get(path)
    if (status !== 200) throw new Error(`history: ${status}`)
    const page = body.result['data'] as ChatMessage[]
    for (const message of page) learn(message)
    client.fetched += page.length
    if (page.length < 500) return
  }
}

/**
 * The seqs missing between the first and the last that a connection received of a room. Concurrent messages can arrive out of
 * order, so up to `inFlight` can be missing at the end of a closed connection.
 */
export function silentlyLost({ connections }: ChaosClient, inFlight: number): string[] {
  return connections.flatMap(({ byRoom, isOver }) =>
    [...byRoom].flatMap(([room, heard]) => {
      const last = Math.max(...heard) - (isOver ? inFlight : 0)
      const lost: string[] = []
      for (let seq = Math.min(...heard) + inFlight; seq <= last; seq++) if (!heard.has(seq)) lost.push(`${room} ${seq}`)
      return lost
    }),
  )
}
