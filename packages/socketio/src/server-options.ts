import type { TemplatedApp } from 'uWebSockets.js'
import type { EngineEvents } from './engine/connection.ts'
import type { EngineSettings } from './engine/engine-settings.ts'
import type { Client } from './sockets/client.ts'
import type { PacketReader } from './sockets/packet.ts'
import type { ClientConnection, Handshake, NamespaceOptions, Socket } from './sockets/socket.ts'
import type { Codec } from './sockets/topics.ts'

export type SocketServerOptions<Data> = Partial<EngineSettings> &
  Partial<Pick<EngineEvents<Client<Socket<Data>>>, 'admit' | 'pollOwner' | 'onBridgeOpen' | 'onBridgeClose'>> &
  NamespaceOptions<Data> & {
    app: TemplatedApp
    /** A connection without a namespace is closed after this long. 45 s. */
    connectTimeoutMS?: number
    /** Creates `socket.data`. */
    initialData: (handshake: Handshake) => Data
    /** Namespaces besides `/`, which the options themselves describe. */
    namespaces?: Readonly<Record<string, NamespaceOptions<Data>>>
    /** A connection was opened, with or without sockets later; the place to count by address. */
    onTransportOpen?: (connection: ClientConnection<Data>) => void
    onTransportClose?: (connection: ClientConnection<Data>, reason: string) => void
    /** Encodings of event arguments that a socket can choose with `setCodec`. */
    codecs?: Readonly<Record<string, Codec>>
    /** Parses packets with values that JSON.parse alone would change. */
    reader?: PacketReader
    /** Receives errors of handlers, with the socket if there is one. Without it they become uncaught exceptions. */
    onError?: (error: unknown, socket?: Socket<Data>) => void
  }
