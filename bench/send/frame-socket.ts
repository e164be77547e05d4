import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'

export interface FrameSocket {
  /** Sends a text frame. */
  send: (text: string) => void
  close: () => void
}

const zeroMask = Buffer.alloc(4)

/**
 * Opens a WebSocket for text frames without extensions (RFC 6455). A fraction of a complete client's CPU, since it shares the
 * machine with the server: the mask is zero, so payloads are written as they are.
 * @param onText called with each text frame
 * @param onEnd called once the connection has ended
 * @throws when the server refuses the upgrade
 */
export async function openFrameSocket(
  url: URL,
  onText: (text: string) => void,
  onEnd: () => void,
): Promise<FrameSocket> {
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
  await once(socket, 'connect')
  const head = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    'connection: Upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    `sec-websocket-key: ${randomBytes(16).toString('base64')}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  let received = await upgraded(socket)
  const readAll = () => {
    let at = 0
    for (let frame = frameAt(received, at); frame; frame = frameAt(received, at)) {
      if (frame.opcode === 1) onText(received.toString('utf8', frame.from, frame.end))
      at = frame.end
    }
    received = received.subarray(at)
  }
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
    readAll()
  })
  socket.on('error', onEnd)
  socket.on('close', onEnd)
  // The caller has the socket by then.
  setImmediate(readAll)
  return {
    send: (text) => socket.write(textFrame(text)),
    close: () => socket.destroy(),
  }
}

/** Waits for the response to the upgrade. @returns what came after it */
async function upgraded(socket: ReturnType<typeof connect>): Promise<Buffer> {
  let response = Buffer.alloc(0)
  while (!response.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    response = Buffer.concat([response, chunk])
  }
  if (!response.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(`refused: ${response.toString()}`)
  return response.subarray(response.indexOf('\r\n\r\n') + 4)
}

/** The whole frame that begins there, if it has arrived. */
function frameAt(bytes: Buffer, at: number): { opcode: number; from: number; end: number } | undefined {
  if (bytes.length < at + 2) return undefined
  const short = bytes.readUInt8(at + 1) & 0x7f
  const from = at + (short === 126 ? 4 : short === 127 ? 10 : 2)
  if (bytes.length < from) return undefined
  const length =
    short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short
  if (bytes.length < from + length) return undefined
  return { opcode: bytes.readUInt8(at) & 0x0f, from, end: from + length }
}

function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text)
  if (length > 0xffff) throw new Error(`a frame of ${length} bytes is too long`)
  const header = length < 126 ? Buffer.of(0x81, 0x80 | length) : Buffer.of(0x81, 0x80 | 126, length >> 8, length & 0xff)
  return Buffer.concat([header, zeroMask, Buffer.from(text)])
}
