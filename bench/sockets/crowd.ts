/**
 * Many clients in one process: hand-made websockets that send a stock client's packets, answer heartbeats, reconnect with
 * `since` after a backoff, and track messages by seq. Takes commands over IPC and replies to each.
 */
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { now } from '../fanout/event.ts'
import { aboutMS, frame, textFrames, upgradeRequest } from './wire.ts'

/** A client's token, and the rooms whose messages it must get. */
export interface CrowdClient {
  token: string
  rooms: readonly string[]
}

export type Command =
  | { do: 'connect'; ports: readonly number[]; clientKey: string; clients: readonly CrowdClient[]; atOnce: number }
  /** The ports for later reconnects. */
  | { do: 'use'; ports: readonly number[] }
  /** Counts without latencies. */
  | { do: 'count' }
  | { do: 'report' }
  /** Counts missing messages, given the last seq of each room. */
  | { do: 'check'; lastSeqs: Readonly<Record<string, number>> }

export interface Reply {
  connected: number
  /** Number of lost connections. */
  lost: number
  /** Distinct messages received. */
  got: number
  /** Latency of each message since the last report, in milliseconds. */
  lateMS: number[]
  missing: number
}

/** The seqs of a room that a client has received: all up to `upTo`, and later ones. */
interface Got {
  upTo: number
  later: Set<number>
}

interface Client extends CrowdClient {
  isIn: boolean
  seenMS: number
  got: Map<string, Got>
}

const clients: Client[] = []
let ports: readonly number[] = []
/** Connections of this process by port, including pending ones. */
const perPort = new Map<number, number>()
let clientKey = ''
let lost = 0
/** Distinct messages received. */
let received = 0
let lateMS: number[] = []
/** The read buffer of every socket: each chunk is parsed before the next read. */
const buffer = Buffer.alloc(65_536)
/** Replay starts this long before the last received byte, since an event may have been in flight. */
const overlapMS = 3_000

/** The last parsed message: all members of its room get the same text. */
let last = { text: '', room: '', seq: Number.NaN, atMS: Number.NaN }

function parse(text: string): typeof last {
  if (text === last.text) return last
  const room = /"room":"([^"]+)"/.exec(text)?.[1] ?? ''
  last = { text, room, seq: Number(/"seq":(\d+)/.exec(text)?.[1]), atMS: Number(/at ([\d.]+)/.exec(text)?.[1]) }
  return last
}

function note(client: Client, text: string): void {
  const { room, seq, atMS } = parse(text)
  const got = client.got.get(room)
  if (!got || seq <= got.upTo || got.later.has(seq)) return
  if (!Number.isNaN(atMS)) lateMS.push(now() - atMS)
  received++
  if (seq > got.upTo + 1) {
    got.later.add(seq)
    return
  }
  got.upTo = seq
  while (got.later.delete(got.upTo + 1)) got.upTo++
}

/** The port with the fewest connections, as a load balancer would choose. */
function leastUsed(): number {
  let least = { port: 0, count: Number.POSITIVE_INFINITY }
  for (const port of ports) {
    const count = perPort.get(port) ?? 0
    if (count < least.count) least = { port, count }
  }
  return least.port
}

function count(port: number, more: number): void {
  perPort.set(port, (perPort.get(port) ?? 0) + more)
}

/** Resolves with true when the client is logged in, with false when its connection is lost first. */
function logIn(client: Client, isReconnect: boolean): Promise<boolean> {
  return new Promise((resolve) => {
    const port = leastUsed()
    count(port, 1)
    const callback = (bytes: number) => {
      if (client.isIn) client.seenMS = Date.now()
      read(buffer.subarray(0, bytes))
      return true
    }
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } })
    const since = isReconnect ? { since: Math.floor(client.seenMS - overlapMS) } : {}
    const auth = `421${JSON.stringify(['auth2', client.token, { clientKey, ...since }])}`
    const read = textFrames((text) => {
      if (text === '2') socket.write(frame('3'))
      else if (text.startsWith('0')) socket.write(frame('40'))
      else if (text.startsWith('40'))
        socket.write(Buffer.concat([frame('420["conf",{"encoding":"plain"}]'), frame(auth)]))
      else if (text.startsWith('431')) {
        if (isReconnect && text.includes('"RC":0') && !text.includes('"resumed":true'))
          throw new Error(`not resumed: ${text}`)
        client.isIn = text.includes('"RC":0')
        if (client.isIn) resolve(true)
        else socket.destroy()
      } else if (text.startsWith('42["chat message"')) note(client, text)
    })
    socket.write(upgradeRequest())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      count(port, -1)
      onClose(client, resolve)
    })
  })
}

function onClose(client: Client, resolve: (isIn: boolean) => void): void {
  resolve(false)
  if (!client.isIn) return
  client.isIn = false
  lost++
  void reconnect(client)
}

async function reconnect(client: Client): Promise<void> {
  for (let waitMS = 1_000; ; waitMS = Math.min(2 * waitMS, 5_000)) {
    await pause(aboutMS(waitMS))
    if (await logIn(client, true)) return
  }
}

async function connectAll(command: Extract<Command, { do: 'connect' }>): Promise<void> {
  ;({ ports, clientKey } = command)
  const fresh = command.clients.map((one): Client => {
    const got = new Map(one.rooms.map((room): [string, Got] => [room, { upTo: 0, later: new Set() }]))
    return { ...one, isIn: false, seenMS: 0, got }
  })
  clients.push(...fresh)
  const left = fresh.values()
  await Promise.all(
    Array.from({ length: command.atOnce }, async () => {
      for (const client of left) {
        while (!(await logIn(client, false))) await pause(aboutMS(1_000))
        client.seenMS = Date.now()
      }
    }),
  )
}

function missing(lastSeqs: Readonly<Record<string, number>>): number {
  let sum = 0
  for (const { got } of clients) {
    for (const [room, { upTo, later }] of got) sum += Math.max(0, (lastSeqs[room] ?? 0) - upTo - later.size)
  }
  return sum
}

async function handle(command: Command): Promise<void> {
  if (command.do === 'connect') await connectAll(command)
  if (command.do === 'use') ({ ports } = command)
  const reply: Reply = {
    connected: clients.filter(({ isIn }) => isIn).length,
    lost,
    got: received,
    lateMS: command.do === 'report' ? lateMS : [],
    missing: command.do === 'check' ? missing(command.lastSeqs) : 0,
  }
  if (command.do === 'report') lateMS = []
  process.send?.(reply)
}

process.on('message', (command: Command) => void handle(command))
process.on('disconnect', () => process.exit())
