/**
 * The load generator: bare TCP connections that upgrade, send a stock client's packets, and then only count bytes, which
 * is cheaper than serving them. Replies to each command (connect, report, leave) with the bytes received and the number
 * of refused attempts so far.
 */
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { aboutMS, frame, upgradeRequest } from '../sockets/wire.ts'
import { now } from './event.ts'

export interface Connecting {
  port: number
  /** For each connection, additional query parameters and its packets. Each packet is sent once the previous one is answered. */
  clients: readonly { query: string; packets: readonly string[] }[]
  /** Connections made concurrently. */
  atOnce: number
  /** Wait for a stock client's reconnect backoff first. */
  asReconnect?: boolean
}

export interface Received {
  bytes: number
  refused: number
  /** Latency of each event at the first connection, in milliseconds. */
  lateMS: number[]
}

const received: Received = { bytes: 0, refused: 0, lateMS: [] }
const open = new Set<ReturnType<typeof connect>>()
let first: ReturnType<typeof connect> | undefined
/** A stock client's backoff: 1 s, doubling up to 5 s, with a jitter of ± 50%. */
const backoff = { firstMS: 1_000, maxMS: 5_000 }

/** The expected reply: `40{...}` to a connect, `43<id>[...]` to an emit with an acknowledgement. */
function replyTo(said: string | undefined): string {
  if (said === undefined) return 'HTTP/1.1 101'
  if (said.includes('"since"')) return '"resumed":true'
  return said.startsWith('42') ? `43${/^42(\d+)/.exec(said)?.[1]}[{"RC":0` : '40'
}

function recordLateness(chunk: Buffer): void {
  for (const [, at] of chunk.toString('latin1').matchAll(/"at":"([\d.]+)"/g)) received.lateMS.push(now() - Number(at))
}

/** Returns whether the connection was accepted. */
function join(port: number, { query, packets }: Connecting['clients'][number]): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let answered = 0
    socket.write(upgradeRequest(query))
    socket.on('data', (chunk) => {
      if (answered > packets.length) {
        received.bytes += chunk.length
        if (socket === first) recordLateness(chunk)
      } else if (chunk.includes(replyTo(packets[answered - 1]))) {
        const next = packets[answered++]
        if (next !== undefined) socket.write(frame(next))
        else {
          open.add(socket)
          first ??= socket
          resolve(true)
        }
      } else if (answered === 0 || chunk.includes('"RC":')) socket.destroy()
    })
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (open.has(socket)) throw new Error('a connection was closed')
      resolve(false)
    })
  })
}

async function joinWithRetries(port: number, client: Connecting['clients'][number]): Promise<void> {
  for (let waitMS = backoff.firstMS; !(await join(port, client)); waitMS = Math.min(2 * waitMS, backoff.maxMS)) {
    received.refused++
    await pause(aboutMS(waitMS))
  }
}

async function connectAll({ port, clients, atOnce, asReconnect = false }: Connecting): Promise<void> {
  const left = clients.values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      if (asReconnect) await pause(aboutMS(backoff.firstMS))
      for (const client of left) await joinWithRetries(port, client)
    }),
  )
}

function leave(): void {
  for (const socket of open) {
    open.delete(socket)
    socket.destroy()
  }
  first = undefined
}

async function handle(command: Connecting | 'received' | 'leave'): Promise<void> {
  if (command === 'leave') leave()
  else if (command !== 'received') await connectAll(command)
  process.send?.(received)
  received.lateMS = []
}

process.on('message', (command: Connecting | 'received' | 'leave') => void handle(command))
process.on('disconnect', () => process.exit())
process.send?.(received)
