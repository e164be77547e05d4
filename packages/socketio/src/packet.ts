import { Decoder, Encoder, type Packet } from 'socket.io-parser'

/**
 * Socket.IO 5 packets (https://socket.io/docs/v4/socket-io-protocol/) by the official parser. A connection owns a
 * decoder only while binary attachments of a packet are outstanding; all others share one.
 */
export type PacketCodec = {
  /** The messages of a packet: its text, then its binary attachments. */
  encode: (packet: Packet) => (string | Uint8Array)[]
  /** A packet without attachments. Throws on anything else. */
  decode: (text: string) => Packet
}

export function createPacketCodec(): PacketCodec {
  const encoder = new Encoder()
  const decoder = new Decoder()
  let decoded: Packet | undefined
  decoder.on('decoded', (packet) => {
    decoded = packet
  })
  return {
    encode: (packet) => encoder.encode(packet),
    decode: (text) => {
      decoded = undefined
      decoder.add(text)
      if (decoded === undefined) throw new Error('a packet with attachments')
      return decoded
    },
  }
}

/** Whether a text announces binary attachments (BINARY_EVENT, BINARY_ACK). */
export function announcesAttachments(text: string): boolean {
  const type = text.charCodeAt(0)
  return type === 0x35 || type === 0x36
}

/** Puts one packet with its attachments together. */
export class AttachmentReader {
  readonly #decoder = new Decoder()
  readonly #limit: number
  #bytes = 0

  /** Takes the packet's text; `limit` bounds its attachments, in bytes. Throws on a malformed packet. */
  constructor(text: string, limit: number, done: (packet: Packet) => void) {
    this.#limit = limit
    this.#decoder.on('decoded', done)
    this.#decoder.add(text)
  }

  /** Takes the next attachment. Throws when they exceed the limit. */
  add(attachment: Buffer): void {
    this.#bytes += attachment.byteLength
    if (this.#bytes > this.#limit) throw new Error('attachments too large')
    this.#decoder.add(attachment)
  }
}
