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
    /** A connection without a namespace is closed after this long. Default 45 s. */
    connectTimeoutMS?: number
    /** Creates `socket.data`. */
    initialData: (handshake: Handshake) => Data
    /** Namespaces besides `/`, which the options themselves describe. */
    namespaces?: Readonly<Record<string, NamespaceOptions<Data>>>
    /** Called for every connection, even if no socket follows. Count connections by address here. */
    onTransportOpen?: (connection: ClientConnection<Data>) => void
    onTransportClose?: (connection: ClientConnection<Data>, reason: string) => void
    /** Encodings of event arguments that a socket can choose with `setCodec`. */
    codecs?: Readonly<Record<string, Codec>>
    /** Reads packets with values that JSON.parse alone would change. */
    reader?: PacketReader
    /**
     * Called with errors of handlers, and with the socket if there is one. By default, they become uncaught exceptions.
     */
    onError?: (error: unknown, socket?: Socket<Data>) => void
  }
