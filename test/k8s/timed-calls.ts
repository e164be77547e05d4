import { constants, setPriority } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { call } from '../platform.ts'
import { type Calls, countedCalls } from './counted-calls.ts'

/** Options of the worker thread. */
export interface TimedCallsOptions {
  gatewayUrl: string
  /** Headers for sends, with the API key. */
  admin: Record<string, string>
  /** Headers of each client, for reads. */
  readers: readonly Record<string, string>[]
  rooms: number
  /** Messages per second, over all rooms. */
  sends: number
}

/** Reports of the worker thread: each acknowledged message, and all outcomes after a stop. */
export type TimedCallsReport =
  | { did: 'acknowledged'; room: string; id: string }
  | { did: 'stopped'; sent: number; calls: Calls }

const retryMS = 200

/**
 * A worker thread that sends messages on a fixed schedule, and reads a badge with every third, regardless of pending calls. Its
 * own event loop keeps the work of reconnecting clients out of the measured latencies.
 */
if (parentPort) run(parentPort, workerData as TimedCallsOptions)

function run(port: NonNullable<typeof parentPort>, options: TimedCallsOptions): void {
  const { gatewayUrl, admin, readers, rooms, sends } = options
  // On the cluster's machine, the thread would otherwise measure its own wait for a core. On Linux, priorities are per thread.
  if (process.getuid?.() === 0) setPriority(constants.priority.PRIORITY_HIGHEST)
  const counted = countedCalls(call)
  const sending = { on: false }
  let all: Promise<unknown> = Promise.resolve()
  let sent = 0
  let sentBefore = 0
  const post = (report: TimedCallsReport) => port.postMessage(report, [])

  /** Sends a message, retrying with the same idempotency key until it is acknowledged. */
  async function send(i: number): Promise<void> {
    const room = `room ${i % rooms}`
    const clientMessageID = `message ${i}`
    const text = { room, sender: `user ${i % rooms}`, message: clientMessageID, messageType: 'text', push: false }
    for (;;) {
      const answer = await counted
        .timed(gatewayUrl, 'POST', '/messages', admin, { ...text, clientMessageID })
        .catch(() => undefined)
      if (answer?.status === 200) return post({ did: 'acknowledged', room, id: String(answer.body.result['_id']) })
      await pause(retryMS)
    }
  }

  async function sendOn(): Promise<void> {
    const beginMS = performance.now()
    const inFlight = new Set<Promise<unknown>>()
    const follow = (work: Promise<unknown>) => {
      inFlight.add(work)
      void work.finally(() => inFlight.delete(work))
    }
    for (let here = 0; sending.on; here++) {
      await pause(Math.max(0, beginMS + (here * 1_000) / sends - performance.now()))
      follow(send(sent++))
      const reader = readers[sent % readers.length]
      if (here % 3 === 0 && reader) follow(counted.timed(gatewayUrl, 'GET', '/me/badge', reader).catch(() => undefined))
    }
    await Promise.all(inFlight)
  }

  async function stop(): Promise<void> {
    sending.on = false
    await all
    post({ did: 'stopped', sent: sent - sentBefore, calls: counted.take() })
  }

  port.on('message', (what: 'begin' | 'stop') => {
    if (what === 'stop') return void stop()
    counted.take()
    sentBefore = sent
    sending.on = true
    all = sendOn()
  })
}
