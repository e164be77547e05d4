import type { TemplatedApp } from 'uWebSockets.js'
import { type Packet, PacketType } from 'socket.io-parser'
import type { PollResponse } from './answer.ts'
import { SlowReaders } from './backpressure.ts'
import { Client } from './client.ts'
import type { Connection } from './connection.ts'
import { type Counters, newCounters } from './counters.ts'
import { Deadlines } from './deadlines.ts'
import { createEngine } from './engine.ts'
import type { EngineEvents, EngineSettings } from './engine-state.ts'
import { ConnectError, Namespace, type NamespaceOptions } from './namespace.ts'
import { AttachmentReader, announcesAttachments, createPacketCodec } from './packet.ts'
import { type Codec, Rooms } from './rooms.ts'
import type { PollRequest } from './serve-poll.ts'
import { randomId } from './session-id.ts'
import { type Handshake, Socket } from './socket.ts'

export type SocketServerOptions<Data> = Partial<EngineSettings> &
  Partial<Pick<EngineEvents<Client<Data>>, 'admit' | 'pollOwner'>> &
  NamespaceOptions<Data> & {
    app: TemplatedApp
    /** A connection without a namespace for this long is closed. 45 s. */
    connectTimeoutMs?: number
    /** Makes `socket.data`. */
    initialData: (handshake: Handshake) => Data
    /** Namespaces beside `/`, which the options themselves describe. */
    namespaces?: Readonly<Record<string, NamespaceOptions<Data>>>
    /** A connection was opened, with or without sockets to come; the place to count by address. */
    onTransportOpen?: (address: string) => void
    onTransportClose?: (address: string, reason: string) => void
    /** Encodings of event arguments that a socket may choose with `setCodec`. */
    codecs?: Readonly<Record<string, Codec>>
    /** Gets what handlers throw. When left out it is thrown as an uncaught exception. */
    onError?: (error: unknown, socket: Socket<Data>) => void
  }

type PublishOptions<Data> = {
  /** Sockets (or their IDs) that do not get the event. */
  except?: Iterable<Socket<Data> | string>
  /** `/` when left out. */
  namespace?: string
}

export type SocketServer<Data> = {
  counters: Counters
  /** The connected sockets of `/`, by ID. */
  sockets: ReadonlyMap<string, Socket<Data>>
  /**
   * Sends an event to everybody in a room. `json` is the JSON text of its one argument (UTF-8 if bytes) and is
   * spliced in as it came. Answers to how many sockets of this server it went.
   */
  publish: (room: string, event: string, json: string | Uint8Array, options?: PublishOptions<Data>) => number
  /** How many sockets of `/` are in a room. */
  roomSize: (room: string) => number
  of: (namespace: string) => Namespace<Data> | undefined
  /** Serves a poll that another node forwarded to this one; `signal` aborts when its requester went away. */
  serveForwarded: (request: PollRequest, signal: AbortSignal) => Promise<PollResponse>
  /** Closes every connection (stock clients reconnect), refuses new ones by 503 and stops the timers. The app stays the caller's. */
  close: (reason: string) => void
}

const NO_AUTH: Readonly<Record<string, unknown>> = Object.freeze({})

/** A Socket.IO 5 server over Engine.IO 4 on the routes of a uWebSockets.js app. The caller listens with the app. */
export function createSocketServer<Data = unknown>(options: SocketServerOptions<Data>): SocketServer<Data> {
  const { app, connectTimeoutMs = 45_000, codecs = {}, namespaces = {}, initialData } = options
  const path = options.path ?? '/socket.io/'
  const onError = options.onError ?? throwUncaught
  const counters = newCounters()
  const slowReaders = new SlowReaders()
  const packets = createPacketCodec()
  const codecList = [undefined, ...Object.values(codecs)]
  const codecNames = [undefined, ...Object.keys(codecs)]
  /** Connections without a namespace, and those that owe attachments. */
  const waiting = new Deadlines<Connection<Client<Data>>>()
  const connections = new Set<Connection<Client<Data>>>()
  const wait = (connection: Connection<Client<Data>>) => waiting.set(connection, performance.now() + connectTimeoutMs)
  const byName = new Map<string, Namespace<Data>>()
  const add = (name: string, its: NamespaceOptions<Data>) => {
    const rooms = new Rooms<Data>(
      app,
      { name, topicPrefix: `${path}${byName.size}:` },
      codecList,
      { counters, slowReaders },
      its,
    )
    const shared = { codecs: codecList, codecNames, packets, onError, onEmpty: wait }
    const namespace = new Namespace({ name, options: its, rooms, ...shared })
    byName.set(name, namespace)
    return namespace
  }
  const main = add('/', options)
  for (const [name, its] of Object.entries(namespaces)) add(name, its)
  const sweep = setInterval(
    () => {
      waiting.expire(performance.now(), (connection) => {
        const client = connection.session
        if (client === undefined || (!client.isEmpty && client.attachments === undefined)) return
        connection.close(client.isEmpty ? 'connect timeout' : 'attachments timeout')
      })
    },
    Math.min(1000, connectTimeoutMs / 4),
  ).unref()

  let closing = false
  const engine = createEngine<Client<Data>>({
    ...options,
    admit: (request) => (closing ? { status: 503, message: 'closing' } : options.admit?.(request)),
    path,
    counters,
    slowReaders,
    onOpen: (connection) => {
      connection.session = new Client()
      connections.add(connection)
      wait(connection)
      options.onTransportOpen?.(connection.address)
    },
    onMessage: (connection, message) => {
      try {
        read(connection, message)
      } catch {
        // Whatever the parser says of a malformed packet, the protocol's answer is to close.
        connection.close('parse error')
      }
    },
    onUpgrade: (connection) => {
      for (const socket of connection.session?.sockets() ?? []) socket.namespace.rooms.upgraded(socket)
    },
    onClose: (connection, reason) => {
      connections.delete(connection)
      waiting.delete(connection)
      for (const socket of connection.session?.sockets() ?? []) socket.closed(reason)
      options.onTransportClose?.(connection.address, reason)
    },
  })

  /** Takes one message of a connection; throws when it is not of the protocol. */
  function read(connection: Connection<Client<Data>>, message: string | Buffer): void {
    const client = connection.session
    if (client === undefined) return
    if (typeof message !== 'string') {
      if (client.attachments === undefined) throw new Error('binary data without a packet')
      client.attachments.add(message)
    } else if (client.attachments !== undefined) throw new Error('text where an attachment was due')
    else if (announcesAttachments(message)) {
      const limit = options.maxPayload ?? 1_000_000
      client.attachments = new AttachmentReader(message, limit, (packet) => {
        client.attachments = undefined
        receive(connection, client, packet)
      })
      wait(connection)
    } else receive(connection, client, packets.decode(message))
  }

  function receive(connection: Connection<Client<Data>>, client: Client<Data>, packet: Packet): void {
    const socket = client.get(packet.nsp)
    if (packet.type === PacketType.CONNECT && socket === undefined) connect(connection, client, packet)
    else if (socket === undefined) throw new Error('not connected to the namespace')
    else if (packet.type === PacketType.EVENT) socket.namespace.dispatch(socket, packet)
    else if (packet.type === PacketType.ACK && packet.id !== undefined) socket.acknowledged(packet.id, packet.data)
    else if (packet.type === PacketType.DISCONNECT) socket.closed('client namespace disconnect')
    else throw new Error('packet out of place')
  }

  function connect(connection: Connection<Client<Data>>, client: Client<Data>, packet: Packet): void {
    const refuse = (message: string, data?: unknown) =>
      main.send(connection, { type: PacketType.CONNECT_ERROR, nsp: packet.nsp, data: { message, data } })
    const namespace = byName.get(packet.nsp)
    if (namespace === undefined) return refuse('Invalid namespace')
    if (client.connecting?.has(namespace.name)) throw new Error('connecting already')
    const auth: Readonly<Record<string, unknown>> = packet.data ?? NO_AUTH
    const { address, query, headers } = connection
    const data = initialData({ auth, address, query: new URLSearchParams(query), headers })
    const socket = new Socket(namespace, connection, randomId(), auth, data)
    const accept = () => {
      client.connecting?.delete(namespace.name)
      if (connection.closed) return
      client.set(socket)
      waiting.delete(connection)
      namespace.connected(socket)
    }
    const fail = (error: unknown) => {
      client.connecting?.delete(namespace.name)
      if (error instanceof ConnectError) refuse(error.message, error.data)
      else {
        refuse('Internal error')
        onError(error, socket)
      }
    }
    try {
      const deciding = namespace.options.onConnect?.(socket)
      if (!(deciding instanceof Promise)) return accept()
      client.connecting ??= new Set()
      client.connecting.add(namespace.name)
      deciding.then(accept, fail)
    } catch (error) {
      fail(error)
    }
    return undefined
  }

  return {
    counters,
    sockets: main.sockets,
    publish: (room, event, json, publishOptions) => {
      if (publishOptions === undefined) return main.rooms.publish(room, event, json)
      const namespace = byName.get(publishOptions.namespace ?? '/')
      if (namespace === undefined) return 0
      const { except } = publishOptions
      return namespace.rooms.publish(room, event, json, except === undefined ? undefined : found(namespace, except))
    },
    roomSize: (room) => main.rooms.size(room),
    of: (name) => byName.get(name),
    serveForwarded: engine.serveForwarded,
    close: (reason) => {
      closing = true
      for (const connection of connections) connection.close(reason)
      clearInterval(sweep)
      engine.stop()
    },
  }
}

function found<Data>(namespace: Namespace<Data>, named: Iterable<Socket<Data> | string>): Socket<Data>[] {
  return [...named].flatMap((each) => (typeof each === 'string' ? (namespace.sockets.get(each) ?? []) : [each]))
}

function throwUncaught(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}
