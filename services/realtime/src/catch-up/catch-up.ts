import { setTimeout as pause } from 'node:timers/promises'
import { batched } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import type { RoomOfUser } from '@parley/chat/rooms/rooms-of-user'
import { createUserSince, type UserSince } from '@parley/chat/users/user-since'
import type { Logger } from '@parley/service/log'
import type { Counter } from '@parley/service/metrics'
import type { Session, UserSocket } from '../connections/session.ts'
import { resumesCounter } from '../connections/socket-metrics.ts'
import { waitsOfStream } from '../delivery/in-order.ts'
import type { NodeParts } from '../node-parts.ts'
import { type ReplayParts, replay } from './replay.ts'
import { isConnected, type ReadOutcome, type ReplayReader } from './replay-reader.ts'
import { announceServerTime, createStreamClock, type ServerTimeParts } from './server-time.ts'

/**
 * The result for a socket with `since`: whether it has everything since then, and the time for its next `since`.
 */
export interface CaughtUp {
  resumed: boolean
  serverTimeMS: number
}

/**
 * Replays a socket's missed events since a time, in order, then its replay buffer, which must be started before the socket
 * joins its rooms. Buffering has ended when this resolves. Never fails: an impossible replay is reported as not resumed.
 * @param rooms of the user at authentication
 */
export type CatchUp = (
  socket: UserSocket,
  session: Session,
  sinceMS: number,
  rooms: readonly RoomOfUser[],
) => Promise<CaughtUp>

interface CatchUpParts extends ReplayParts {
  log: Logger
  resumes: Counter<'outcome'>
  /** Whether the bus was away and the node has not finished its resync. */
  isBehind: () => boolean
  userSince: UserSince
}

/** Sockets within this time share one read; those that come during a read share the next. */
const togetherMS = 20
const maxTogether = 1_000
/**
 * Upper bound of the pause after a read. Pausing as long as the read took makes fewer and larger reads in a storm.
 */
const maxPauseMS = 1_000
/** Sockets that were away for longer get reads of their own, which do not delay the recent ones. */
const recentMS = 10 * 60_000
const pollMS = 50
/** A resync of the node takes seconds. */
const maxBehindMS = 60_000

function createCatchUp(parts: CatchUpParts): CatchUp {
  const recent = shareReads(parts)
  const older = shareReads(parts)
  return async (socket, session, sinceMS, rooms) => {
    const joinedAtMS = new Map(rooms.map((one) => [one.room, one.joinedAtMS]))
    const beganMS = clock.now()
    const reader: ReplayReader = {
      socket,
      session,
      sinceMS,
      givenSinceMS: sinceMS,
      createdMS: 0,
      joinedAtMS,
      beganMS,
      from: new Map(),
      sent: new Map(),
      nextSeqs: new Map(),
      events: 0,
    }
    const read = sinceMS > parts.clock.nowMS() - recentMS ? recent : older
    try {
      const outcome = await resume(parts, reader, read)
      parts.resumes.inc({ outcome: typeof outcome === 'string' ? outcome : 'resumed' })
      if (typeof outcome !== 'string') return outcome
    } catch (error) {
      parts.resumes.inc({ outcome: 'the bus is away' })
      parts.log.warn({ err: error, app: session.app, user: session.user }, 'replay to a client failed; it reloads')
    } finally {
      socket.stopBuffering()
    }
    return { resumed: false, serverTimeMS: parts.clock.nowMS() }
  }
}

async function resume(
  parts: CatchUpParts,
  reader: ReplayReader,
  read: (reader: ReplayReader) => Promise<ReadOutcome>,
): Promise<CaughtUp | string> {
  if (!(await isUpToDate(parts))) return 'the bus is away'
  const { app, user } = reader.session
  // An erased user's events must not reach a new user of the same ID.
  reader.createdMS = await parts.userSince({ app, user })
  if (reader.sinceMS < reader.createdMS) return 'too old'
  return readToTheEnd(parts, reader, read)
}

/** Resolves when the node's resync is done, which delivers older events; false if it cannot finish. */
async function isUpToDate({ bus, isBehind }: CatchUpParts): Promise<boolean> {
  const deadlineMS = performance.now() + maxBehindMS
  while (bus.connected && isBehind() && performance.now() < deadlineMS) await pause(pollMS)
  return bus.connected && !isBehind()
}

/** Repeats the replay until nothing is missing and buffering has ended. Returns the reason if that is impossible. */
async function readToTheEnd(
  { maxBufferedBytes }: CatchUpParts,
  reader: ReplayReader,
  read: (reader: ReplayReader) => Promise<ReadOutcome>,
): Promise<CaughtUp | string> {
  for (;;) {
    const outcome = await read(reader)
    if (outcome.is === 'at the mark') {
      const { marks, atMS, ids } = outcome
      if (reader.socket.flushBuffer((id) => ids.has(id))) return { resumed: true, serverTimeMS: atMS }
      // The replay buffer overflowed, or some events were repeated: read them from the stream too.
      const from = new Map([...marks].map(([stream, seq]) => [stream, seq + 1]))
      Object.assign(reader, { from, sinceMS: atMS, sent: new Map(), nextSeqs: new Map() })
    } else if (outcome.is === 'congested') {
      const { from, atMS, ids, sent, nextSeqs } = outcome
      // The socket has these, or the next read brings them; from the buffer they would come out of order.
      reader.socket.replayBuffer?.drop((id) => ids.has(id))
      Object.assign(reader, { from, sinceMS: atMS, sent, nextSeqs })
      while (isConnected(reader) && reader.socket.connection.bufferedBytes > maxBufferedBytes / 2) await pause(pollMS)
    } else return outcome.is
    if (!isConnected(reader)) return 'gone'
  }
}

function shareReads(parts: CatchUpParts): (reader: ReplayReader) => Promise<ReadOutcome> {
  let restUntilMS = 0
  return batched(
    async (readers: ReplayReader[]) => {
      const restMS = restUntilMS - performance.now()
      if (restMS > 0) await pause(restMS)
      const beganMS = performance.now()
      try {
        return await replay(parts, readers)
      } finally {
        const tookMS = performance.now() - beganMS
        restUntilMS = performance.now() + Math.min(tookMS, maxPauseMS)
        parts.log.debug({ sockets: readers.length, tookMS }, 'sockets caught up')
      }
    },
    { max: maxTogether, waitMS: togetherMS },
  )
}

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
