import { io, type Socket } from 'socket.io-client'
import type { ClientKind } from '../faults/chaos-client.ts'
import { decode, type Resumed } from './resuming-client.ts'

/** A stock client that keeps disconnecting and reconnecting, and never fetches anything. */
export interface DroppingClient {
  socket: Socket
  user: string
  rooms: readonly string[]
  /** The events received, each under a unique name. */
  heard: Set<string>
  /** Whether it is connected and its replay is complete. */
  isBack: boolean
  /** Number of resumed logins, and of logins refused for now and repeated with the same time. */
  resumed: number
  refused: number
  /** The last ends of its connections and logins with their reasons, for failure messages. */
  ends: string[]
  stop(): void
}

export interface DroppingOptions extends ClientKind {
  url: string
  user: string
  token: string
  rooms: readonly string[]
  /** Alternates between this time connected and `awayMS` disconnected. */
  hereMS: number
  awayMS: number
  mayDrop: () => boolean
}

/** Unique names of events: the subject and, if it can change again, its state. */
export const names = {
  message: (id: string) => `message ${id}`,
  updated: (id: string, updatedAtMS: number) => `updated ${id} ${updatedAtMS}`,
  lastRead: (room: string, member: string, message: string) => `lastRead ${room} ${member} ${message}`,
  roomPref: (room: string, folder: string) => `roomPref ${room} ${folder}`,
}

interface Payload {
  _id: string
  updatedAtMS: number
  room: string
  roomID: string
  memberID: string
  messageID: string
  folder: string
}
const nameOf: Record<string, (payload: Payload) => string> = {
  'chat message': ({ _id }) => names.message(_id),
  messageUpdated: ({ _id, updatedAtMS }) => names.updated(_id, updatedAtMS),
  lastRead: ({ roomID, memberID, messageID }) => names.lastRead(roomID, memberID, messageID),
  roomPref: ({ room, folder }) => names.roomPref(room, folder),
}

/** The events that a client lacks, of those expected by room and by user. */
export function lackedBy(
  { user, rooms, heard }: DroppingClient,
  expected: ReadonlyMap<string, ReadonlySet<string>>,
): string[] {
  return [user, ...rooms].flatMap((whose) => [...(expected.get(whose) ?? [])].filter((name) => !heard.has(name)))
}

/** The state of a client. */
export function stateOf({ user, socket, isBack, resumed, refused, ends }: DroppingClient): string {
  const transport = socket.io.engine?.transport?.name
  return `${user} ${JSON.stringify({ connected: socket.connected, transport, isBack, resumed, refused, ends })}`
}

export function startDroppingClient(options: DroppingOptions): DroppingClient {
  const { url, user, token, rooms, encoding, hereMS, awayMS, mayDrop } = options
  const socket = io(url, {
    transports: options.transports,
    forceNew: true,
    reconnectionDelay: 200,
    reconnectionDelayMax: 1_000,
  })
  let since: number | undefined
  let dropping: NodeJS.Timeout | undefined
  const client: DroppingClient = {
    ...{ socket, user, rooms, heard: new Set<string>(), isBack: false, resumed: 0, refused: 0, ends: [] },
    stop() {
      clearTimeout(dropping)
      socket.close()
    },
  }

  const ended = (why: string) => {
    client.ends = [...client.ends.slice(-4), `${new Date().toISOString().slice(14, 23)} ${why}`]
  }
  function drop(): void {
    if (!client.isBack) return
    if (!mayDrop()) {
      dropping = setTimeout(drop, hereMS)
      return
    }
    socket.disconnect()
    dropping = setTimeout(() => socket.connect(), awayMS)
  }

  async function enter(): Promise<void> {
    const connection = socket.id
    await socket.timeout(60_000).emitWithAck('conf', { encoding })
    while (socket.connected && socket.id === connection && !client.isBack) {
      const login = { deviceId: 'phone', since: since ?? 0 }
      const { RC, RM, result } = await socket.timeout(60_000).emitWithAck('auth2', token, login)
      if (RC !== 0) throw new Error(RM)
      const { resumed, serverTimeMS } = result as Resumed
      if (resumed || since === undefined) {
        if (resumed) client.resumed++
        since = serverTimeMS
        client.isBack = true
        dropping = setTimeout(drop, hereMS * (0.75 + Math.random() / 2))
      } else {
        // NATS is away: keep the time and repeat it.
        client.refused++
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
  }

  socket.on('connect', () => {
    enter().catch((error: Error) => {
      ended(`login: ${error.message}`)
      socket.io.engine.close()
    })
  })
  socket.on('connect_error', (error) => ended(`connect: ${error.message}`))
  socket.on('disconnect', (reason) => {
    ended(reason)
    client.isBack = false
    if (reason !== 'io client disconnect') clearTimeout(dropping)
  })
  socket.on('serverTime', (payload: unknown) => {
    if (client.isBack) since = (decode(payload, encoding) as Resumed).serverTimeMS
  })
  for (const [event, name] of Object.entries(nameOf)) {
    socket.on(event, (payload: unknown) => client.heard.add(name(decode(payload, encoding) as Payload)))
  }
  return client
}
