import { type Packet, PacketType } from 'socket.io-parser'
import { randomId } from '../engine/session-id.ts'
import type { Client } from './client.ts'
import { ConnectError, type Namespace } from './namespace.ts'
import { AttachmentReader, announcesAttachments, isConnect, type PacketCodec, type Reading } from './packet.ts'
import { type ClientConnection, type Handshake, handshakeOf, Socket } from './socket.ts'

type Parts<Data> = {
  packets: PacketCodec
  maxPayload: number
  /** `/` */
  main: Namespace<Data>
  byName: ReadonlyMap<string, Namespace<Data>>
  initialData: (handshake: Handshake) => Data
  /** Called when a packet's attachments become outstanding. */
  owesAttachments: (connection: ClientConnection<Data>) => void
  /** Called when the connection gets a socket. */
  hasSocket: (connection: ClientConnection<Data>) => void
  onError: (error: unknown, socket?: Socket<Data>) => void
}

/** The longest accepted CONNECT packet; its payload stays in memory as long as the socket. */
const CONNECT_LENGTH = 16_384
const NO_AUTH: Readonly<Record<string, unknown>> = Object.freeze({})

/**
 * Returns a function that handles the messages of all connections. A client's mistake closes its connection with a
 * parse error; errors of handlers go to `onError`. The two never share a `catch`.
 */
export function createReceiver<Data>(
  parts: Parts<Data>,
): (connection: ClientConnection<Data>, message: string | Buffer) => void {
  return (connection, message) => {
    const client = connection.session
    if (client === undefined) return
    const packet = read(parts, connection, client, message)
    if (packet === 'incomplete') return
    if (packet === 'malformed' || !apply(parts, connection, client, packet)) connection.close('parse error')
  }
}

function read<Data>(
  { packets, maxPayload, owesAttachments }: Parts<Data>,
  connection: ClientConnection<Data>,
  client: Client<Socket<Data>>,
  message: string | Buffer,
): Reading {
  if (client.attachments !== undefined) {
    const reading = typeof message === 'string' ? 'malformed' : client.attachments.add(message)
    if (reading !== 'incomplete') client.attachments = undefined
    return reading
  }
  if (typeof message !== 'string') return 'malformed'
  if (isConnect(message) && message.length > CONNECT_LENGTH) return 'malformed'
  if (!announcesAttachments(message)) return packets.decode(message)
  const reader = new AttachmentReader(maxPayload)
  const reading = reader.add(message)
  if (reading === 'incomplete') {
    client.attachments = reader
    owesAttachments(connection)
  }
  return reading
}

/** Applies a packet; false if it is invalid in this state. */
function apply<Data>(
  parts: Parts<Data>,
  connection: ClientConnection<Data>,
  client: Client<Socket<Data>>,
  packet: Packet,
): boolean {
  const socket = client.get(packet.nsp)
  if (socket === undefined) return packet.type === PacketType.CONNECT && connect(parts, connection, client, packet)
  if (packet.type === PacketType.EVENT) socket.namespace.dispatch(socket, packet)
  else if (packet.type === PacketType.ACK && packet.id !== undefined) socket.acknowledged(packet.id, packet.data)
  else if (packet.type === PacketType.DISCONNECT) socket.closed('client namespace disconnect')
  else return false
  return true
}

function connect<Data>(
  { main, byName, initialData, hasSocket, onError }: Parts<Data>,
  connection: ClientConnection<Data>,
  client: Client<Socket<Data>>,
  packet: Packet,
): boolean {
  const refuse = (message: string, data?: unknown) =>
    main.send(connection, { type: PacketType.CONNECT_ERROR, nsp: packet.nsp, data: { message, data } })
  const namespace = byName.get(packet.nsp)
  if (namespace === undefined) {
    refuse('Invalid namespace')
    return true
  }
  if (client.connecting?.has(namespace.name)) return false
  const auth: Readonly<Record<string, unknown>> = packet.data ?? NO_AUTH
  let socket: Socket<Data> | undefined
  const accept = (accepted: Socket<Data>) => {
    client.connecting?.delete(namespace.name)
    if (connection.closed) return
    client.set(accepted)
    hasSocket(connection)
    namespace.connected(accepted)
  }
  const fail = (error: unknown) => {
    client.connecting?.delete(namespace.name)
    if (error instanceof ConnectError) return refuse(error.message, error.data)
    refuse('Internal error')
    return onError(error, socket)
  }
  try {
    const data = initialData(handshakeOf(connection, auth))
    const made = new Socket(namespace, connection, randomId(), auth, data)
    socket = made
    const deciding = namespace.options.onConnect?.(made)
    if (deciding instanceof Promise) {
      client.connecting ??= new Set()
      client.connecting.add(namespace.name)
      deciding.then(() => accept(made), fail)
    } else accept(made)
  } catch (error) {
    fail(error)
  }
  return true
}
