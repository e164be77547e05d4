import { Decoder, Encoder, type Packet, PacketType } from 'socket.io-parser'

/** The result of reading a client's message: a packet, a part of one, or malformed. */
export type Reading = Packet | 'incomplete' | 'malformed'

/**
 * Encodes and decodes Socket.IO 5 packets (https://socket.io/docs/v4/socket-io-protocol/) with the official parser. A
 * connection has its own decoder only while binary attachments of a packet are outstanding; all others share one.
 */
export type PacketCodec = {
  /** The messages of a packet: its text, then its binary attachments. */
  encode: (packet: Packet) => (string | Uint8Array)[]
  /** A packet without attachments. */
  decode: (text: string) => Packet | 'malformed'
}

/** Prepares the text of a packet for JSON.parse, and restores the values after parsing. */
export type PacketReader = { before: (text: string) => string; after: (data: unknown) => unknown }

export function createPacketCodec(reader?: PacketReader): PacketCodec {
  const encoder = new Encoder()
  const parser = new Parser()

  function read(text: string): Reading {
    const prepared = reader ? reader.before(text) : text
    const reading = parser.read(prepared)
    if (prepared === text || typeof reading === 'string') return reading
    return { ...reading, data: reader?.after(reading.data) }
  }

  return {
    encode: (packet) => encoder.encode(packet),
    decode: (text) => {
      // The parser mistakes an empty text for a CONNECT.
      if (text === '') return 'malformed'
      const reading = announcesAttachments(text) ? 'malformed' : read(text)
      return reading === 'incomplete' ? 'malformed' : reading
    },
  }
}

/** Whether a text announces binary attachments (BINARY_EVENT, BINARY_ACK). */
export function announcesAttachments(text: string): boolean {
  const type = text.charCodeAt(0)
  return type === 0x35 || type === 0x36
}

export function isConnect(text: string): boolean {
  return text.charCodeAt(0) === 0x30
}

/** Reassembles one packet with its attachments. */
export class AttachmentReader {
  readonly #parser = new Parser()
  readonly #limit: number
  #bytes = 0

  /** @param limit maximum total bytes of the attachments */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Takes the packet's text, then each attachment, until the result is no longer `incomplete`. */
  add(message: string | Buffer): Reading {
    if (typeof message !== 'string') this.#bytes += message.byteLength
    return this.#bytes > this.#limit ? 'malformed' : this.#parser.read(message)
  }
}

/** The official parser as a function. Every error that it throws means a malformed message. */
class Parser {
  readonly #decoder = new Decoder()
  #reading: Reading = 'incomplete'

  constructor() {
    this.#decoder.on('decoded', (packet) => {
      this.#reading = isWhole(packet) ? packet : 'malformed'
    })
  }

  read(message: string | Buffer): Reading {
    this.#reading = 'incomplete'
    try {
      this.#decoder.add(message)
    } catch {
      return 'malformed'
    }
    return this.#reading
  }
}

/** Rejects what the parser accepts: events without a name, and acknowledgements without an integer ID. */
function isWhole({ type, data, id }: Packet): boolean {
  if (id !== undefined && !Number.isSafeInteger(id)) return false
  if (type === PacketType.EVENT) return Array.isArray(data)
  return type !== PacketType.ACK || (Array.isArray(data) && id !== undefined)
}
