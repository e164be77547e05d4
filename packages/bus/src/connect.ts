import { type JetStreamClient, jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { createStreamPublisher, type PublishToStream } from './stream-publisher.ts'

/** The connection to NATS. It reconnects for ever by itself; `connected` says whether it is there now. */
export interface Bus {
  nats: NatsConnection
  stream: JetStreamClient
  publishToStream: PublishToStream
  readonly connected: boolean
  /** Settles when the connection is closed for good: with the error, or with undefined after `closeBus`. */
  closed: Promise<Error | undefined>
}

export interface BusEvents {
  onDisconnect?: () => void
  onReconnect?: () => void
  onError?: (error: Error) => void
}

/** @param url `nats://host:port`, or several with commas between. @throws when no server answers in 5 s. */
export async function connectBus(url: string, name: string, events: BusEvents = {}): Promise<Bus> {
  const nats = await connect({
    servers: url.split(','),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
    timeout: 5_000,
  })
  const state = { connected: true }
  void watchStatus(nats, state, events)
  return {
    nats,
    stream: jetstream(nats),
    publishToStream: createStreamPublisher(nats),
    get connected() {
      return state.connected
    },
    closed: nats.closed().then((reason) => (reason instanceof Error ? reason : undefined)),
  }
}

async function watchStatus(nats: NatsConnection, state: { connected: boolean }, events: BusEvents): Promise<void> {
  for await (const status of nats.status()) {
    switch (status.type) {
      case 'disconnect':
      case 'staleConnection':
        state.connected = false
        events.onDisconnect?.()
        break
      case 'reconnect':
        state.connected = true
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

/** Sends what is buffered and closes; while the bus is away there is nobody to send it to. */
export async function closeBus({ nats, connected }: Bus): Promise<void> {
  if (nats.isClosed()) return
  if (connected) await nats.drain()
  else await nats.close()
}

/** @throws when the bus is away. */
export async function pingBus(bus: Bus): Promise<void> {
  if (!bus.connected) throw new Error('NATS is disconnected')
  await bus.nats.flush()
}
