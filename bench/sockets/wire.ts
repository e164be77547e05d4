/** A masked text frame with the mask 0 (RFC 6455, 5.2 and 5.3). */
export function frame(text: string): Buffer {
  const content = Buffer.from(text)
  const mask = [0, 0, 0, 0]
  const head =
    content.length < 126
      ? [0x81, 0x80 | content.length, ...mask]
      : [0x81, 0xfe, content.length >> 8, content.length & 0xff, ...mask]
  return Buffer.concat([Buffer.from(head), content])
}

/** The upgrade request to `/socket.io/`; `query` is appended to the transport. */
export function upgradeRequest(query = ''): string {
  return (
    `GET /socket.io/?EIO=4&transport=websocket${query} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
  )
}

/** Applies a stock client's backoff jitter of ± 50%. */
export function aboutMS(ms: number): number {
  return ms * (0.5 + Math.random())
}

const nothing: Buffer = Buffer.alloc(0)

/**
 * Parses the server's bytes after an upgrade request, in chunks of any size; calls `onText` for each text frame. Keeps no view
 * of a chunk.
 */
export function textFrames(onText: (text: string) => void): (chunk: Buffer) => void {
  let rest = nothing
  let isUpgraded = false
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    if (!isUpgraded) {
      const end = rest.indexOf('\r\n\r\n')
      if (end < 0) return
      isUpgraded = true
      rest = rest.subarray(end + 4)
    }
    for (let next = frameIn(rest); next; next = frameIn(rest)) {
      if (next.isText) onText(rest.toString('utf8', next.from, next.to))
      rest = rest.subarray(next.to)
    }
    // The caller reuses the chunk's memory.
    rest = rest.length === 0 ? nothing : Buffer.from(rest)
  }
}

/** The first complete frame. Servers do not mask (RFC 6455, 5.1). */
function frameIn(bytes: Buffer): { isText: boolean; from: number; to: number } | undefined {
  if (bytes.length < 2) return undefined
  const short = (bytes[1] ?? 0) & 0x7f
  const from = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < from) return undefined
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short
  const to = from + length
  return bytes.length < to ? undefined : { isText: ((bytes[0] ?? 0) & 0x0f) === 1, from, to }
}
