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
    /** A connection without a namespace for this long is closed. 45 s. */
    connectTimeoutMS?: number
    /** Makes `socket.data`. */
    initialData: (handshake: Handshake) => Data
    /** Namespaces beside `/`, which the options themselves describe. */
    namespaces?: Readonly<Record<string, NamespaceOptions<Data>>>
    /** A connection was opened, with or without sockets to come; the place to count by address. */
    onTransportOpen?: (connection: ClientConnection<Data>) => void
    onTransportClose?: (connection: ClientConnection<Data>, reason: string) => void
    /** Encodings of event arguments that a socket may choose with `setCodec`. */
    codecs?: Readonly<Record<string, Codec>>
    /** Reads packets with values that JSON.parse alone would change. */
    reader?: PacketReader
    /** Gets the errors of handlers, with the socket if they had one. Without it they become uncaught exceptions. */
    onError?: (error: unknown, socket?: Socket<Data>) => void
  }
