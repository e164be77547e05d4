import { clock } from '@parley/async/clock'
import { inParts } from '@parley/async/in-parts'
import { startRunning } from '@parley/async/run-every'
import type { Bus } from '@parley/bus/connect'
import { markStream, readStreamStates } from '@parley/bus/stream/stream-state'
import type { EventPayload } from '@parley/contracts/socket/server-events'
import type { Logger } from '@parley/service/log'
import type { AcceptQueue } from '@parley/socketio/accepting/accept-queue'
import type { SocketServer } from '@parley/socketio/server'
import type { SocketData, UserSocket } from '../connections/session.ts'
import type { Sockets } from '../connections/sockets.ts'
import type { DeliveryQueue } from '../delivery/delivery-queue.ts'

export interface ServerTimeParts {
  bus: Bus
  nodeId: string
  clock: StreamClock
  sockets: Sockets
  queue: DeliveryQueue
  acceptQueue: AcceptQueue
  log: Logger
  everyMS: number
  server: () => Pick<SocketServer<SocketData>, 'sendTo'>
  /** Whether the node may have missed events and has not finished its resync. */
  isBehind: () => boolean
}

const socketsAtOnce = 200

/**
 * Sends `serverTime` once a minute to the sockets that gave `since`: they have received every event that the streams took before
 * that time. NATS delivers events and replies to a node in one order, so earlier events have arrived.
 */
export function announceServerTime(parts: ServerTimeParts): { stop(): Promise<void> } {
  return startRunning(
    parts.everyMS,
    () => announce(parts),
    (error) => parts.log.debug({ err: error }, 'server time not announced'),
  )
}

async function announce(parts: ServerTimeParts): Promise<void> {
  const { bus, nodeId, sockets, queue, acceptQueue, server, isBehind } = parts
  if (!bus.connected || isBehind()) return
  const listening = [...sockets.all()].filter(isListening)
  // After a purge of the stream this is its oldest message, which proves to later clients that they have everything.
  if (listening.length > 0) await Promise.all(bus.streams.names.map((stream) => markStream(bus, stream, nodeId)))
  const askedMS = clock.now()
  const states = [...(await readStreamStates(bus)).values()]
  const nowMS = Math.min(...states.map((state) => state.nowMS))
  parts.clock.set(nowMS, askedMS)
  if (isBehind() || queue.isHeld) return
  queue.drain()
  const json = JSON.stringify({ serverTimeMS: Math.floor(nowMS) } satisfies EventPayload<'serverTime'>)
  for (const part of inParts(listening, socketsAtOnce)) {
    server().sendTo(part.filter(isListening), 'serverTime', json)
    await acceptQueue.turn()
  }
}

/** A socket with a replay buffer has not received everything yet. */
function isListening({ data, replayBuffer }: UserSocket): boolean {
  return data.session?.wantsServerTime === true && data.session.isReady && replayBuffer === undefined
}

/** NATS's clock, which dates the stream's messages and the clients' `since`. */
export function createStreamClock(ownMS: () => number = clock.now) {
  let aheadMS = 0
  return {
    /** Unix milliseconds; this process's own clock until NATS was asked. */
    nowMS: () => Math.floor(ownMS() + aheadMS),
    /**
     * Sets the clock from a reply of NATS.
     * @param streamMS the time in the reply
     * @param askedMS this process's time before the request
     */
    set(streamMS: number, askedMS: number) {
      // NATS read its clock between the request and the reply: a slow reply must not set the clock back.
      const [least, max] = [streamMS - ownMS(), streamMS - askedMS]
      aheadMS = Math.min(Math.max(0, least), max)
    },
  }
}
export type StreamClock = ReturnType<typeof createStreamClock>
