import { createUserSince } from '@parley/chat/users/user-since'
import { resumesCounter } from '../connections/socket-metrics.ts'
import { waitsOfStream } from '../delivery/in-order.ts'
import type { NodeParts } from '../node-parts.ts'
import { type CatchUp, type CatchUpParts, createCatchUp } from './catch-up.ts'
import { announceServerTime, createStreamClock, type ServerTimeParts, type StreamClock } from './server-time.ts'

export interface CatchingUp {
  catchUp: CatchUp
  clock: StreamClock
  /** Size of one socket's replay buffer in bytes. */
  replayBufferBytes: number
  /** Stops `serverTime`; resolves when it has stopped. */
  stop(): Promise<void>
}

type Parts = Pick<NodeParts, 'chat' | 'settings' | 'bus' | 'log' | 'metrics' | 'isBehind'> &
  Pick<CatchUpParts, 'acceptQueue' | 'delivered' | 'noteCaughtUp' | 'order' | 'fetch'> &
  Pick<ServerTimeParts, 'sockets' | 'queue' | 'server'>

/** The parts of a node that replay events to clients with `since`, and send them the time. */
export function startCatchUp(parts: Parts): CatchingUp {
  const { settings } = parts
  const clock = createStreamClock()
  // A quarter of a client's limit, so that all buffers of a socket together stay below it.
  const replayBufferBytes = settings.maxBufferedBytes / 4
  const common = { ...parts, nodeId: settings.nodeId, clock }
  const catchUp = createCatchUp({
    ...common,
    resumes: resumesCounter(parts.metrics),
    userSince: createUserSince(parts.chat),
    mostEvents: settings.catchUpEvents,
    mostBufferedBytes: replayBufferBytes,
    orderWaitMS: waitsOfStream * settings.orderWaitMS,
  })
  const serverTime = announceServerTime({ ...common, everyMS: settings.serverTimeEveryMS })
  return { catchUp, clock, replayBufferBytes, stop: () => serverTime.stop() }
}
