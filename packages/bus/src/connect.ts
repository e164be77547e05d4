import { setTimeout as pause } from 'node:timers/promises'
import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import { credsAuthenticator, type NatsConnection, PermissionViolationError } from '@nats-io/nats-core'
import type { NatsConnectionImpl } from '@nats-io/nats-core/internal'
import { connect, type NodeConnectionOptions } from '@nats-io/transport-node'
import type { NodeAnnouncement } from '@parley/contracts/bus/control'
import { checkServer } from './check-server.ts'
import { connectFault, ServerFull } from './connect-fault.ts'
import { createFaultWatch, type FaultWatch } from './fault-watch.ts'
import { createKnownStreams, type KnownStreams } from './stream/known-streams.ts'
import { createRefusals, type Refusals } from './stream/refusals.ts'
import { createStreamPublisher, type PublishToStream } from './stream/stream-publisher.ts'

/** The connection to NATS. It reconnects until it is closed; `connected` is its current state. */
export interface Bus {
  /** @throws until NATS has been reached once; later, calls fail while it is away */
  readonly nats: NatsConnection
  /** @throws as `nats` */
  readonly stream: JetStreamClient
  publishToStream: PublishToStream
  /** The streams of events. */
  readonly streams: KnownStreams
  /** The last stream positions acknowledged to this process, which reveal data loss. */
  acknowledged: Pick<ReturnType<typeof createStreamPublisher>, 'latest' | 'forget'>
  readonly connected: boolean
  readonly faults: Pick<FaultWatch, 'fault'>
  /** Events and subjects that NATS refuses while it is connected (stream/check-stream.ts). */
  readonly refusals: Pick<Refusals, 'streams' | 'denied'>
  /** Calls back once: now if NATS has been reached, otherwise on the first connection. */
  whenReached(handle: (nats: NatsConnection) => void): void
  /** Calls back each time the connection is restored. Returns a function that removes the callback. */
  onBack(handle: () => void): () => void
  /** Number of lost connections so far. Core messages published during an outage are missed. */
  readonly losses: number
  /** Called for every live message that could not be read or handled. */
  malformed(error: Error, subject: string): void
  /** By subject, the listeners that share a subscription (control/announcements.ts). */
  readonly announcements: Map<string, { handlers: Set<(announcement: NodeAnnouncement) => void>; unsubscribe(): void }>
  /** Flushes buffers and closes for good. While the bus is away, only closes. */
  close(): Promise<void>
  /** Whether the connection was closed, by `close` or by the NATS client. */
  readonly isClosed: boolean
}

const connectWithinMS = 5_000
/** Retry interval until NATS is reached for the first time. */
const reconnectMS = 500
const normalPingEveryMS = 5_000
const maxPingOut = 2
/** A silently dead connection is noticed within this time. */
export const unnoticedCutMS = (maxPingOut + 1) * normalPingEveryMS

export interface BusEvents {
  /** @param error the cause, if NATS was not reached at the start */
  onDisconnect?: (error?: unknown) => void
  onReconnect?: () => void
  onError?: (error: Error) => void
  /** A live message could not be read or handled; it is skipped. */
  onMalformed?: (error: Error, subject: string) => void
}

interface BusAccess {
  /** Enables TLS, with certificates and key in PEM. A `tls://` URL enables it too. */
  tls?: NodeConnectionOptions['tls'] | undefined
  /** Content of a .creds file. */
  credentials?: string | undefined
  /** Checks the server's version and JetStream. If NATS is away, keeps connecting in the background. */
  isService?: boolean
}

const lasting = {
  maxReconnectAttempts: -1,
  // A server may refuse valid credentials while its users are being changed.
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: 250,
  reconnectJitter: 250,
  maxPingOut,
  timeout: connectWithinMS,
} as const satisfies NodeConnectionOptions

interface Reached {
  nats: NatsConnection
  stream: JetStreamClient
  publisher: ReturnType<typeof createStreamPublisher>
}

function need(reached: Reached | undefined): Reached {
  if (!reached) throw new Error('NATS is away')
  return reached
}

/**
 * @param url `nats://host:port`, or `tls://…` to require TLS. A comma-separated list may omit the scheme from the
 * second server on. Credentials belong to the first server: `user:password@` or `token@`.
 * @param access with `isService`, connects in the background if NATS is away
 * @throws if no server responds within 5 s (unless `isService`) or the credentials are refused; for a service, also if
 * the server is too old or has no JetStream
 */
export async function connectBus(
  url: string,
  name: string,
  events: BusEvents = {},
  access: BusAccess = {},
  pingEveryMS = normalPingEveryMS,
): Promise<Bus> {
  const state: BusState = { connected: false, losses: 0, back: new Set(), first: [] }
  const closing = new AbortController()
  const options = serversOf(url, access)
  const streams = createKnownStreams()
  const refusals = createRefusals(streams)
  const faults = createFaultWatch(options, (fault) => events.onError?.(fault))
  let reached: Reached | undefined

  async function reach(): Promise<void> {
    const nats = await connect({ ...options, ...lasting, name, pingInterval: pingEveryMS })
    if (access.isService) await checkServer(nats)
    if (closing.signal.aborted) return nats.close()
    reached = { nats, stream: jetstream(nats), publisher: createStreamPublisher(nats, refusals) }
    state.connected = true
    faults.ended()
    void watchStatus(reached, { state, refusals, faults }, events)
    for (const handle of state.first.splice(0)) handle(nats)
  }

  async function keepTrying(): Promise<void> {
    while (!reached && (await isOpenAfter(reconnectMS, closing.signal))) await reach().catch(faults.failed)
    if (!reached) return
    for (const handle of state.back) handle()
    events.onReconnect?.()
  }

  let trying: Promise<void> | undefined
  await reach().catch(async (error: unknown) => {
    const fault = await connectFault(error, options)
    if (!access.isService || !(fault === undefined || fault instanceof ServerFull)) throw fault ?? error
    events.onDisconnect?.(fault ?? error)
    faults.began()
    trying = keepTrying()
  })
  return {
    get nats() {
      return need(reached).nats
    },
    get stream() {
      return need(reached).stream
    },
    streams,
    refusals,
    faults,
    announcements: new Map(),
    publishToStream: async (...message) => need(reached).publisher.publish(...message),
    acknowledged: acknowledgedBy(() => reached?.publisher),
    get connected() {
      return state.connected && reached?.nats.isClosed() === false
    },
    whenReached(handle) {
      if (reached) handle(reached.nats)
      else state.first.push(handle)
    },
    onBack(handle) {
      state.back.add(handle)
      return () => state.back.delete(handle)
    },
    get losses() {
      return state.losses
    },
    malformed: (error, subject) => events.onMalformed?.(error, subject),
    get isClosed() {
      return closing.signal.aborted || reached?.nats.isClosed() === true
    },
    async close() {
      closing.abort()
      faults.ended()
      await trying
      if (reached && !reached.nats.isClosed()) await (state.connected ? reached.nats.drain() : reached.nats.close())
    },
  }
}

async function isOpenAfter(ms: number, closing: AbortSignal): Promise<boolean> {
  await pause(ms, undefined, { signal: closing }).catch(() => undefined)
  return !closing.aborted
}

function acknowledgedBy(publisher: () => Bus['acknowledged'] | undefined): Bus['acknowledged'] {
  return {
    latest: (stream) => publisher()?.latest(stream),
    forget: (stream) => publisher()?.forget(stream),
  }
}

/** The NATS client ignores the scheme and the user of a URL. */
function serversOf(list: string, { tls, credentials }: BusAccess): NodeConnectionOptions & { servers: string[] } {
  const [scheme] = list.split('//')
  const urls = list.split(',').map((text) => new URL(text.includes('://') ? text.trim() : `${scheme}//${text.trim()}`))
  const [first] = urls
  const user = decodeURIComponent(first?.username ?? '')
  const pass = decodeURIComponent(first?.password ?? '')
  const isTls = urls.some(({ protocol }) => protocol === 'tls:')
  return {
    servers: urls.map(({ host }) => host),
    ...((tls || isTls) && { tls: tls ?? {} }),
    // The client requires a trailing newline.
    ...(credentials && { authenticator: credsAuthenticator(new TextEncoder().encode(`${credentials}\n`)) }),
    ...(user && (pass ? { user, pass } : { token: user })),
  }
}

interface BusState {
  connected: boolean
  losses: number
  back: Set<() => void>
  /** Called when NATS is reached for the first time. */
  first: ((nats: NatsConnection) => void)[]
}

/** Sent for each refused subscription. */
const noMoreSubscriptions = /^maximum subscriptions exceeded/i

async function watchStatus(
  { nats, publisher }: Reached,
  { state, refusals, faults }: { state: BusState; refusals: Refusals; faults: FaultWatch },
  events: BusEvents,
): Promise<void> {
  for await (const status of nats.status()) {
    switch (status.type) {
      case 'disconnect':
      case 'staleConnection':
        state.connected = false
        state.losses++
        if (!nats.isClosed()) faults.began()
        events.onDisconnect?.()
        if (status.type === 'staleConnection') closeTransport(nats)
        break
      case 'reconnect':
        state.connected = true
        faults.ended()
        refusals.reconnected()
        for (const handle of state.back) handle()
        events.onReconnect?.()
        break
      case 'error':
        if (status.error instanceof PermissionViolationError) {
          refusals.deny(status.error)
          publisher.denied(status.error)
        }
        if (!noMoreSubscriptions.test(status.error.message)) events.onError?.(status.error)
        else if (refusals.full(status.error)) events.onError?.(status.error)
        break
      default:
        break
    }
  }
}

/** Closes the socket at once. The client would first send buffered data, which a dead server never reads. */
function closeTransport(nats: NatsConnection): void {
  void (nats as NatsConnectionImpl).protocol.transport.close()
}

/** @throws when the bus is away. */
export async function pingBus(bus: Bus): Promise<void> {
  if (!bus.connected) throw new Error(['NATS is disconnected', bus.faults.fault?.message].filter(Boolean).join(': '))
  await bus.nats.flush()
}
