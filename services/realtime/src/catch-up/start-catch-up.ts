import { createUserSince } from '@parley/chat/users/user-since'
import { resumesCounter } from '../connections/socket-metrics.ts'
import { waitsOfStream } from '../delivery/in-order.ts'
import type { NodeParts } from '../node-parts.ts'
import { type CatchUpParts, createCatchUp } from './catch-up.ts'
import { announceServerTime, createStreamClock, type ServerTimeParts } from './server-time.ts'

type Parts = Pick<NodeParts, 'chat' | 'settings' | 'bus' | 'log' | 'metrics' | 'isBehind'> &
  Pick<CatchUpParts, 'acceptQueue' | 'delivered' | 'recordReplay' | 'order' | 'fetch'> &
  Pick<ServerTimeParts, 'sockets' | 'queue' | 'server'>

/** The parts of a node that replay events to clients with `since`, and send them the time. */
export function startCatchUp(parts: Parts) {
  const { settings } = parts
  const clock = createStreamClock()
  // A quarter of a client's limit, so that all buffers of a socket together stay below it.
  const replayBufferBytes = settings.maxBufferedBytes / 4
  const common = { ...parts, nodeId: settings.nodeId, clock }
  const catchUp = createCatchUp({
    ...common,
    resumes: resumesCounter(parts.metrics),
    userSince: createUserSince(parts.chat),
    maxEvents: settings.catchUpEvents,
    maxBufferedBytes: replayBufferBytes,
    orderWaitMS: waitsOfStream * settings.orderWaitMS,
  })
  const serverTime = announceServerTime({ ...common, everyMS: settings.serverTimeEveryMS })
  return { catchUp, clock, replayBufferBytes, stop: () => serverTime.stop() }
}
