import { type JetStreamClient, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { credsAuthenticator, type NatsConnection } from '@nats-io/nats-core'
import type { NatsConnectionImpl } from '@nats-io/nats-core/internal'
import { connect, type NodeConnectionOptions } from '@nats-io/transport-node'
import { createStreamPublisher, type PublishToStream } from './stream/stream-publisher.ts'

/** The connection to NATS. It reconnects by itself until it is closed; `connected` says whether it is up now. */
export interface Bus {
  nats: NatsConnection
  stream: JetStreamClient
  publishToStream: PublishToStream
  /** The stream positions acknowledged to this process: they reveal a loss. */
  acknowledged: Pick<ReturnType<typeof createStreamPublisher>, 'latest' | 'forget'>
  readonly connected: boolean
  /** Calls back whenever the connection is up again, until the function that it returns is called. */
  onBack(handle: () => void): () => void
  /** How often the connection was lost so far: messages passed on the bus meanwhile were missed. */
  readonly losses: number
  /** Called for every live message that could not be read or handled. */
  malformed(error: Error, subject: string): void
  /** Settles when the connection is closed for good: with the error, or with undefined after `closeBus`. */
  closed: Promise<Error | undefined>
}

const normalPingEveryMS = 5_000
const maxPingOut = 2
/** The longest time until a silently dead connection is noticed. */
export const unnoticedCutMS = (maxPingOut + 1) * normalPingEveryMS

export interface BusEvents {
  onDisconnect?: () => void
  onReconnect?: () => void
  onError?: (error: Error) => void
  /** A live message could not be read or handled; it is skipped. */
  onMalformed?: (error: Error, subject: string) => void
}

export interface BusAccess {
  /** Turns TLS on: certificates and key in PEM. A `tls://` URL does too. */
  tls?: NodeConnectionOptions['tls'] | undefined
  /** The text of a .creds file. */
  credentials?: string | undefined
}

/**
 * @param url `nats://host:port`, or `tls://…` where nothing may go out in the clear; several separated by commas, where the
 *   scheme may be left out from the second on. A user stands in the first as `user:password@`, a token as `token@`.
 * @throws when no server responds in 5 s, or it refuses the credentials.
 */
export async function connectBus(
  url: string,
  name: string,
  events: BusEvents = {},
  access: BusAccess = {},
  pingEveryMS = normalPingEveryMS,
): Promise<Bus> {
  const nats = await connect({
    ...serversOf(url, access),
    name,
    maxReconnectAttempts: -1,
    // While users of a server are being changed, it may refuse this process for a while.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: pingEveryMS,
    maxPingOut,
    timeout: 5_000,
  })
  const state = { connected: true, losses: 0, back: new Set<() => void>() }
  const publisher = createStreamPublisher(nats)
  void watchStatus(nats, state, events)
  return {
    nats,
    stream: jetstream(nats),
    publishToStream: publisher.publish,
    acknowledged: publisher,
    get connected() {
      return state.connected && !nats.isClosed()
    },
    onBack(handle) {
      state.back.add(handle)
      return () => state.back.delete(handle)
    },
    get losses() {
      return state.losses
    },
    malformed: (error, subject) => events.onMalformed?.(error, subject),
    closed: nats.closed().then((reason) => (reason instanceof Error ? reason : undefined)),
  }
}

/** The client reads neither the scheme nor the user of a URL. */
function serversOf(list: string, { tls, credentials }: BusAccess): NodeConnectionOptions {
  const [scheme] = list.split('//')
  const urls = list.split(',').map((text) => new URL(text.includes('://') ? text.trim() : `${scheme}//${text.trim()}`))
  const [first] = urls
  const user = decodeURIComponent(first?.username ?? '')
  const pass = decodeURIComponent(first?.password ?? '')
  const isTls = urls.some(({ protocol }) => protocol === 'tls:')
  return {
    servers: urls.map(({ host }) => host),
    ...((tls || isTls) && { tls: tls ?? {} }),
    // The client wants a line break at the end.
    ...(credentials && { authenticator: credsAuthenticator(new TextEncoder().encode(`${credentials}\n`)) }),
    ...(user && (pass ? { user, pass } : { token: user })),
  }
}

interface BusState {
  connected: boolean
  losses: number
  back: Set<() => void>
}

async function watchStatus(nats: NatsConnection, state: BusState, events: BusEvents): Promise<void> {
  for await (const status of nats.status()) {
    switch (status.type) {
      case 'disconnect':
      case 'staleConnection':
        state.connected = false
        state.losses++
        events.onDisconnect?.()
        if (status.type === 'staleConnection') closeTransport(nats)
        break
      case 'reconnect':
        state.connected = true
        for (const handle of state.back) handle()
        events.onReconnect?.()
        break
      case 'error':
        events.onError?.(status.error)
        break
      default:
        break
    }
  }
}

/**
 * By default the client first waits until all buffered data is sent, before it closes a connection with failed pings:
 * for ever, when the server reads nothing.
 */
function closeTransport(nats: NatsConnection): void {
  void (nats as NatsConnectionImpl).protocol.transport.close()
}

/** Flushes buffers and closes; while the bus is away, only closes. */
export async function closeBus({ nats, connected }: Bus): Promise<void> {
  if (nats.isClosed()) return
  if (connected) await nats.drain()
  else await nats.close()
}

/** @throws an Error, a sentence for the operator, when the server is too old or has no JetStream */
export async function checkBus({ nats }: Bus): Promise<void> {
  const version = nats.info?.version ?? ''
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 2 || (major === 2 && minor < 10)) {
    throw new Error(`the server has version ${version}: Parley needs 2.10 or newer`)
  }
  await jetstreamManager(nats).catch((cause: unknown) => {
    if (!(cause instanceof Error && cause.name === 'JetStreamNotEnabled')) throw cause
    throw new Error('the server has no JetStream, or the account may not use it: start nats-server with --jetstream', {
      cause,
    })
  })
}

/** @throws when the bus is away. */
export async function pingBus(bus: Bus): Promise<void> {
  if (!bus.connected) throw new Error('NATS is disconnected')
  await bus.nats.flush()
}
