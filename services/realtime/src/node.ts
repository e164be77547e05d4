import { clock } from '@parley/async/clock'
import { marginMS } from '@parley/bus/stream/stream-state'
import { createSocketAuthentication } from '@parley/chat/access/authenticate-socket'
import { createCallerRates } from '@parley/chat/access/caller-rates'
import { createFailedLogins } from '@parley/chat/access/failed-logins'
import { activeTokens } from '@parley/chat/access/tokens'
import { createRoomsOfUser } from '@parley/chat/rooms/rooms-of-user'
import type { OwnCloseReason } from '@parley/contracts/socket/close-reasons'
import { announceDevices } from '@parley/presence/announce-devices'
import { createRequestCounts } from '@parley/presence/request-counts'
import { explain } from '@parley/service/explain'
import { watchForProxies } from '@parley/service/untrusted-proxy'
import { createAcceptQueue } from '@parley/socketio/accepting/accept-queue'
import { createHandshakes } from '@parley/socketio/accepting/handshakes'
import { listen } from '@parley/socketio/accepting/listen'
import { createSocketServer } from '@parley/socketio/server'
import { App } from '@parley/socketio/uws'
import { startCatchUp } from './catch-up/catch-up.ts'
import { watchActivity } from './connections/activity.ts'
import { createConnectionReports } from './connections/connection-reports.ts'
import { drainConnections } from './connections/drain.ts'
import { watchHalfOpen } from './connections/half-open.ts'
import { answerNotFound } from './connections/not-found.ts'
import type { SocketData } from './connections/session.ts'
import { emitDurations, exportSocketCounters } from './connections/socket-metrics.ts'
import { connectionHooks, protocolOptions } from './connections/socket-options.ts'
import { createSockets } from './connections/sockets.ts'
import { createResync } from './delivery/resync.ts'
import { startDelivery } from './delivery/start-delivery.ts'
import { createClientEmits } from './emits/client-emits.ts'
import { capacityOf } from './limits/capacity.ts'
import { watchIdleSockets } from './limits/idle-sockets.ts'
import { createLimits } from './limits/limits.ts'
import { createLogin } from './logins/login.ts'
import { createLogins } from './logins/logins.ts'
import { createSessions } from './logins/sessions.ts'
import { watchTokenEnds } from './logins/token-ends.ts'
import type { NodeParts } from './node-parts.ts'
import { createCommandHandler } from './nodes/node-commands.ts'
import { answerRequests } from './nodes/node-requests.ts'
import { createPollOwners, servePolls } from './nodes/poll-owner.ts'
import { createOwnPresenceEvents } from './presence/presence-events.ts'
import { watchPresence } from './presence/watch-presence.ts'
import { realtimeSettings } from './settings.ts'

/** The part of the stopping time for closing connections. */
const drainShare = 0.7

/**
 * One turn of the event loop may have to upgrade all of these, at 60 µs each. Distant clients take longer than these
 * milliseconds but arrive spread out: 3,200 of them a second are admitted.
 */
const handshakesInFlight = { max: 64, withinMS: 20 } as const
/** A slice of the accept queue, in milliseconds. */
const acceptSliceMS = 4

const address = [realtimeSettings.host, realtimeSettings.port]

/** A realtime node: sockets on one side, the bus on the other. Listening once this resolves. */
export async function startNode(parts: NodeParts) {
  const { settings, chat, bus, log, metrics } = parts
  const app = App()
  const users = await startUsers(parts)
  const state = { isStopping: false, cutOff: { sinceMS: clock.now(), untilMS: clock.now() + marginMS } }
  const { sockets, handshakes, logins, limits, descriptors } = users
  const delivering = startDelivery({ ...parts, sockets, server: () => server, cutOff: () => state.cutOff })
  const { order, queue, interest, deliveryLog } = delivering
  const roomsOfUser = createRoomsOfUser(chat)
  const acceptQueue = createAcceptQueue(acceptSliceMS)
  const watching = watchPresence({ ...parts, socketsOf: (...user) => sockets.ofUser(...user), server: () => server })
  const pollOwner = createPollOwners(bus, settings.pingIntervalMS + settings.pingTimeoutMS, () => chat.control.runs())
  metrics.gaugeOf('parley_bus_subscriptions', 'Rooms and users that this node subscribes to', () => interest.size)

  const { recordReplay } = deliveryLog
  const catchingUp = startCatchUp({ ...parts, ...delivering, acceptQueue, recordReplay, sockets, server: () => server })
  const { clock: streamClock, catchUp: replay, replayBufferBytes } = catchingUp
  const logIn = createLogin({
    limits,
    acceptQueue,
    failedLogins: users.failedLogins,
    authenticateSocket: createSocketAuthentication(chat),
    logins,
    sessions: createSessions({ ...users, watching }),
    registration: users,
    roomsOfUser,
    interest,
    queue,
    replay,
    replayBufferBytes,
  })
  const server = createSocketServer<SocketData>({
    app,
    acceptQueue,
    pollOwner,
    onError: (error) => log.error({ err: error }, 'a socket handler failed'),
    ...protocolOptions(settings),
    ...connectionHooks({ ...users, interest, watching, isStopping: () => state.isStopping }),
    ...createClientEmits({ ...parts, ...users, logIn, watching, streamClock, emitted: emitDurations(metrics) }),
  })
  const resync = createResync({ chat, bus, roomsOfUser, sockets, logins, ...delivering })
  exportSocketCounters(metrics, server, sockets)
  const polls = servePolls(bus, settings.nodeId, server.serveForwarded, (error) =>
    log.warn({ err: error }, 'poll not served'),
  )
  const requests = answerRequests({ bus, node: settings.nodeId, sockets, deliveryLog })
  app.any('/*', answerNotFound)
  const options = { host: settings.host, port: settings.port, handshakes, descriptors, onFull: () => limits.full() }
  const listening = await explain('Socket.IO', address, listen(app, options))

  return {
    port: listening.port,
    registers: users.areRegistered,
    carryOut: createCommandHandler({ sockets, interest, queue, logins, watching }),
    /** Brings the sockets up to date after the bus was away; returns the number of events read again. */
    resync: (awaySinceMS: number) => {
      pollOwner.busIsBack()
      watching.busIsBack()
      state.cutOff = { sinceMS: awaySinceMS - marginMS, untilMS: clock.now() + marginMS }
      // Their reads can have begun before: later events are in the stream.
      for (const { replayBuffer } of sockets.all()) replayBuffer?.lose()
      return resync(awaySinceMS)
    },
    /** Stops accepting, closes all connections in waves (clients reconnect elsewhere) and removes them from the counts. */
    async stop() {
      state.isStopping = true
      listening.close()
      await drainConnections(() => [...sockets.all(), ...server.bridges], settings.drainMS * drainShare, server.pingAll)
      polls.unsubscribe()
      requests.unsubscribe()
      await Promise.all([catchingUp.stop(), watching.stop()])
      pollOwner.stop()
      queue.drain()
      order.stop()
      server.close('node is stopping' satisfies OwnCloseReason)
      await Promise.all([users.stop(), chat.deliveries.drained()])
      app.close()
    },
  }
}
export type RealtimeNode = Awaited<ReturnType<typeof startNode>>

/** The node's users and connections, its reports of them to Redis, and their limits. */
async function startUsers(parts: NodeParts) {
  const { settings, chat, bus, presence, log, metrics, announce } = parts
  const reports = await createConnectionReports(presence, settings.nodeId, log)
  const online = await announceDevices(
    presence,
    settings.nodeId,
    (error) => log.warn({ err: error }, 'connected devices not reported; trying again'),
    () => reports.reportAgain(),
  )
  const presenceEvents = createOwnPresenceEvents(bus, online)
  const sockets = createSockets({
    count: (app, count) => reports.changed(app, count),
    devices: (...changed) => {
      online.changed(...changed)
      presenceEvents.changed(...changed)
    },
  })
  const counts = createRequestCounts(presence, (error) =>
    log.warn({ err: error }, 'Redis is away: each node counts emits and failed logins for itself'),
  )
  const handshakes = createHandshakes(handshakesInFlight)
  const idle = watchIdleSockets(settings.authenticateWithinMS, handshakes)
  const tokenEnds = watchTokenEnds({ readActive: (sessions) => activeTokens(chat, sessions), log: chat.log }, sockets)
  const capacity = capacityOf(settings.limits.connections)
  const activity = watchActivity(chat)
  const halfOpen = watchHalfOpen(parts)
  return {
    halfOpen,
    sockets,
    logins: createLogins(),
    handshakes,
    idle,
    activity,
    descriptors: capacity.descriptors,
    limits: createLimits(
      { ...settings.limits, connections: capacity.connections },
      createCallerRates(counts, { ...settings.rates, perApiKey: 0 }),
      { metrics, log },
    ),
    seen: watchForProxies(log, settings.trustedProxies, realtimeSettings.trustedProxies.env),
    failedLogins: createFailedLogins(chat, { presence, counts }, settings.limits.failedLoginsPerAddress),
    /** Resolves when Redis has the connections of an app. */
    counted: (app: string) => reports.reported(app),
    /**
     * Resolves when Redis has the users with sockets on this node; otherwise senders wait for this node in any case.
     */
    async registered() {
      if (!(await online.reported())) await announce()
    },
    /** Whether Redis has every user of this node's sockets. */
    areRegistered: () => online.isComplete(),
    /** Stops the timers; resolves when Redis and the database have everything. Closes nothing. */
    async stop() {
      idle.stop()
      const ofRedis = Promise.allSettled([reports.stop(), online.stop()])
      await Promise.all([tokenEnds.stop(), counts.stop(), activity.drained(), halfOpen.drained()])
      for (const one of await ofRedis) {
        if (one.status === 'rejected') log.warn({ err: one.reason }, 'Redis is away: entries of this node expire there')
      }
    },
  }
}
