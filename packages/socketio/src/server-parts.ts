import { type Counters, newCounters } from './counters.ts'
import { Deadlines } from './deadlines.ts'
import type { EngineEvents } from './engine/connection.ts'
import type { Refusal } from './engine/engine-settings.ts'
import type { OpeningRequest } from './engine/request.ts'
import type { SocketServerOptions } from './server-options.ts'
import { SlowReaders } from './sockets/backpressure.ts'
import { Client } from './sockets/client.ts'
import { Namespace } from './sockets/namespace.ts'
import { createPacketCodec, type PacketCodec } from './sockets/packet.ts'
import type { ClientConnection, NamespaceOptions, Socket } from './sockets/socket.ts'
import { Topics } from './sockets/topics.ts'

/** Parts shared within one server. */
type ServerParts<Data> = {
  path: string
  counters: Counters
  slowReaders: SlowReaders
  packets: PacketCodec
  unfinished: Unfinished<Data>
  onError: (error: unknown, socket?: Socket<Data>) => void
  /** Runs a caller's hook, and reports its errors to `onError`. */
  hook: (run: () => void) => void
}

export function createServerParts<Data>(options: SocketServerOptions<Data>): ServerParts<Data> {
  const onError = options.onError ?? throwUncaught
  return {
    path: options.path ?? '/socket.io/',
    counters: newCounters(),
    slowReaders: new SlowReaders(),
    packets: createPacketCodec(options.reader),
    unfinished: watchUnfinished(options.connectTimeoutMS ?? 45_000),
    onError,
    hook(run) {
      try {
        run()
      } catch (error) {
        onError(error)
      }
    },
  }
}

/** The namespaces by name: `/`, described by the options themselves, and the others. */
export function createNamespaces<Data>(
  options: SocketServerOptions<Data>,
  { path, counters, slowReaders, packets, unfinished, onError, hook }: ServerParts<Data>,
): ReadonlyMap<string, Namespace<Data>> {
  const codecs = [undefined, ...Object.values(options.codecs ?? {})]
  const codecNames = [undefined, ...Object.keys(options.codecs ?? {})]
  const described: [string, NamespaceOptions<Data>][] = [['/', options], ...Object.entries(options.namespaces ?? {})]
  return new Map(
    described.map(([name, its], index) => {
      const topics = new Topics(
        options.app,
        { name, channelPrefix: `${path}${index}:` },
        codecs,
        { counters, slowReaders },
        // A closed socket must leave all its topics, even if the hook throws for one.
        { ...its, onTopicEmpty: (topic) => hook(() => its.onTopicEmpty?.(topic)) },
      )
      const shared = { codecs, codecNames, packets, onError, onEmpty: unfinished.add }
      return [name, new Namespace({ name, options: its, topics, ...shared })]
    }),
  )
}

/** The caller's decision on a request to open a connection. */
export function admit<Data>(
  options: SocketServerOptions<Data>,
  { onError }: ServerParts<Data>,
  request: OpeningRequest,
): Refusal | undefined {
  try {
    return options.admit?.(request)
  } catch (error) {
    onError(error)
    return { status: 503, message: 'Internal error' }
  }
}

type TransportEvents<Data> = Pick<
  EngineEvents<Client<Socket<Data>>>,
  'onOpen' | 'onUpgrade' | 'onClose' | 'onBridgeOpen' | 'onBridgeClose'
>

export function transportEvents<Data>(
  options: SocketServerOptions<Data>,
  { unfinished, hook }: ServerParts<Data>,
): TransportEvents<Data> {
  return {
    onOpen(connection) {
      connection.session = new Client()
      unfinished.add(connection)
      hook(() => options.onTransportOpen?.(connection))
    },
    onUpgrade(connection) {
      for (const socket of connection.session?.sockets() ?? []) {
        const { topics, options: its } = socket.namespace
        topics.upgraded(socket)
        socket.namespace.guard(socket, () => its.onUpgrade?.(socket))
      }
    },
    onClose(connection, reason) {
      unfinished.delete(connection)
      for (const socket of connection.session?.sockets() ?? []) socket.closed(reason)
      hook(() => options.onTransportClose?.(connection, reason))
    },
    onBridgeOpen: (address) => hook(() => options.onBridgeOpen?.(address)),
    onBridgeClose: (address) => hook(() => options.onBridgeClose?.(address)),
  }
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

/** Connections without a namespace, or with missing attachments, which are closed after a time limit. An idle process has no timer. */
type Unfinished<Data> = {
  add: (connection: ClientConnection<Data>) => void
  delete: (connection: ClientConnection<Data>) => void
  stop: () => void
}

function watchUnfinished<Data>(timeoutMS: number): Unfinished<Data> {
  const waiting = new Deadlines<ClientConnection<Data>>()
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(timer)
    timer = undefined
  }
  const sweep = () => {
    waiting.expire(performance.now(), closeUnfinished)
    if (waiting.size === 0) stop()
  }
  return {
    add(connection) {
      waiting.set(connection, performance.now() + timeoutMS)
      timer ??= setInterval(sweep, Math.min(1000, timeoutMS / 4)).unref()
    },
    delete: (connection) => waiting.delete(connection),
    stop,
  }
}

function closeUnfinished<Data>(connection: ClientConnection<Data>): void {
  const client = connection.session
  if (client === undefined || (!client.isEmpty && client.attachments === undefined)) return
  connection.close(client.isEmpty ? 'connect timeout' : 'attachments timeout')
}
