import { App, us_listen_socket_close, us_socket_local_port } from 'uWebSockets.js'
import type { Bus } from '@parley/bus/connect'
import type { IncomingEvent } from '@parley/bus/incoming'
import { createSocketAuthentication } from '@parley/chat/authenticate-user'
import type { Chat } from '@parley/chat/chat'
import { createRoomsOfUser } from '@parley/chat/rooms-of-user'
import type { ControlOrder } from '@parley/contracts/bus/control'
import type { Presence } from '@parley/presence/connect'
import { announceDevices } from '@parley/presence/online-devices'
import type { Logger } from '@parley/service/log'
import type { Metrics } from '@parley/service/metrics'
import type { Tracing } from '@parley/service/trace'
import { createSocketServer } from '@parley/socketio/server'
import { watchActivity } from './activity.ts'
import { createClientEmits } from './client-emits.ts'
import { createConnectionReports } from './connection-reports.ts'
import { createControlHandler, createRecentRevocations } from './control.ts'
import { deliverEvent } from './deliver-event.ts'
import { createDeliveryQueue } from './delivery-queue.ts'
import { drainSockets } from './drain.ts'
import { closeAll, watchIdleSockets } from './idle-sockets.ts'
import { createLimits } from './limits.ts'
import { createPollOwners, servePolls } from './poll-owner.ts'
import { resync } from './resync.ts'
import { createRoomInterest } from './room-interest.ts'
import type { SocketData } from './session.ts'
import type { realtimeSettings, SettingsOf } from './settings.ts'
import { watchEmits, watchSockets } from './socket-metrics.ts'
import { createSockets } from './sockets.ts'

/** The part of the time to stop that clients are given to leave. */
const drainShare = 0.7

export interface NodeParts {
  settings: SettingsOf<typeof realtimeSettings>
  chat: Chat
  bus: Bus
  presence: Presence
  log: Logger
  metrics: Metrics
  tracing: Tracing
}

export interface RealtimeNode {
  port: number
  obey(app: string, order: ControlOrder): Promise<void>
  /** Brings the sockets up to date after the bus was away; answers how many events were read again. */
  resync(awaySinceMS: number): Promise<number>
  /** Stops accepting, lets all connections go in waves (clients reconnect elsewhere) and takes them out of the counts. */
  stop(): Promise<void>
}

/** A realtime node: sockets on one side, the bus on the other. Listening when this settles. */
export async function startNode(parts: NodeParts): Promise<RealtimeNode> {
  const { settings, chat, bus, presence, log, metrics, tracing } = parts
  const app = App()
  const reports = createConnectionReports(presence, settings.nodeId, log)
  const online = await announceDevices(presence, settings.nodeId, (error) =>
    log.warn({ err: error }, 'connected devices not told; saying it again soon'),
  )
  const sockets = createSockets({
    count: (app_, count) => reports.changed(app_, count),
    devices: (app_, user, devices) => online.changed(app_, user, devices),
  })
  const revocations = createRecentRevocations()
  const limits = createLimits(settings.limits, metrics)
  const authenticateSocket = createSocketAuthentication(chat.db)
  const roomsOfUser = createRoomsOfUser(chat.db)
  const activity = watchActivity(chat)
  const idle = watchIdleSockets(sockets, settings.authenticateWithinMs)
  const deliver = (event: IncomingEvent) => {
    const step = tracing.step(`deliver ${event.event}`, 'consumer', event.request)
    const receivers = deliverEvent(server, sockets, event)
    delivered.inc({ event: event.event }, receivers)
    step.end({ 'parley.sockets': receivers })
    log.debug({ event: event.event, to: event.to, sockets: receivers, request: event.request }, 'delivered')
  }
  const queue = createDeliveryQueue(deliver)
  const interest = createRoomInterest(bus, (event) => queue.add(event))

  const pollWaitMS = settings.pingIntervalMs + settings.pingTimeoutMs
  const pollOwners = createPollOwners(bus, pollWaitMS, () => chat.control.nodes())

  metrics.gaugeOf('parley_bus_subscriptions', 'Rooms and users whose events this node hears', () => interest.size)

  const server = createSocketServer<SocketData>({
    app,
    path: '/socket.io/',
    nodeId: settings.nodeId,
    pingIntervalMs: settings.pingIntervalMs,
    pingTimeoutMs: settings.pingTimeoutMs,
    connectTimeoutMs: settings.authenticateWithinMs,
    maxPayload: settings.maxPayload,
    maxPacketsPerSecond: settings.packetsPerSecond,
    maxBufferedBytes: settings.maxBufferedBytes,
    trustedProxies: settings.trustedProxies,
    keepHeaders: ['user-agent'],
    cors: { origin: '*' },
    codecs: { base64: (json) => JSON.stringify(Buffer.from(json).toString('base64')) },
    admit: () => limits.admit(),
    initialData: () => ({ session: undefined, second: 0, events: 0 }),
    onConnection: (socket) => {
      idle.connected(socket)
      limits.connected(socket)
    },
    onDisconnect: (socket) => {
      const { session } = socket.data
      if (session) activity.ended(session)
      sockets.remove(socket)
      limits.disconnected(socket)
    },
    events: createClientEmits({
      chat,
      authenticateSocket,
      roomsOfUser,
      sockets,
      interest,
      queue,
      revocations,
      limits,
      tracing,
      emitted: watchEmits(metrics),
      counted: (app_) => reports.told(app_),
    }),
    onError: (error) => log.error({ err: error }, 'a socket handler failed'),
    onRoomActive: (room) => interest.begin(room),
    onRoomEmpty: (room) => interest.end(room),
    pollOwner: pollOwners.reach,
  })
  const { delivered } = watchSockets(metrics, server, sockets)
  const polls = servePolls(bus, settings.nodeId, server.serveForwarded, (error) =>
    log.warn({ err: error }, 'poll not served'),
  )
  const listening = await listen(app, settings.host, settings.port)

  return {
    port: us_socket_local_port(listening),
    obey: createControlHandler({ sockets, interest, queue, revocations }),
    resync: (awaySinceMS) => resync({ chat, bus, roomsOfUser, sockets, interest, queue }, awaySinceMS),
    async stop() {
      us_listen_socket_close(listening)
      await drainSockets(() => sockets.all(), settings.drainMs * drainShare)
      polls.unsubscribe()
      pollOwners.stop()
      idle.stop()
      queue.drain()
      closeAll(server)
      await Promise.all([reports.stop(), online.stop(), activity.idle()])
      app.close()
    },
  }
}

function listen(app: ReturnType<typeof App>, host: string, port: number) {
  type ListenSocket = Parameters<typeof us_listen_socket_close>[0]
  return new Promise<ListenSocket>((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve(socket)
      else reject(new Error(`port ${port} on ${host} is in use or not allowed`))
    })
  })
}
