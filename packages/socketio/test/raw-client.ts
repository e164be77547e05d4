/** A WebSocket without a protocol on top; queues messages until they are requested. */
export type RawSocket = {
  /** Resolves when the upgrade was accepted. */
  opened: Promise<unknown>
  /** The next message. Rejects if the socket closes first. */
  next: () => Promise<string | ArrayBuffer>
  send: (message: string | Uint8Array<ArrayBuffer>) => void
  /** Resolves when the socket is closed, by either side. */
  closed: Promise<{ code: number; reason: string }>
  close: () => void
}

export function rawSocket(url: string): RawSocket {
  const socket = new WebSocket(url.replace(/^http/, 'ws'))
  socket.binaryType = 'arraybuffer'
  const arrived: (string | ArrayBuffer)[] = []
  const asked: { resolve: (message: string | ArrayBuffer) => void; reject: (error: Error) => void }[] = []
  const closed = Promise.withResolvers<{ code: number; reason: string }>()
  let isClosed = false
  socket.addEventListener('message', (event: { data: string | ArrayBuffer }) => {
    const { data } = event
    const first = asked.shift()
    if (first === undefined) arrived.push(data)
    else first.resolve(data)
  })
  const ended = (code: number, reason: string) => {
    isClosed = true
    for (const waiting of asked) waiting.reject(new Error(`closed with ${code} ${reason}`))
    closed.resolve({ code, reason })
  }
  socket.addEventListener('close', ({ code, reason }) => ended(code, reason))
  // A refused upgrade emits only an error event.
  socket.addEventListener('error', () => ended(1006, ''))
  return {
    opened: new Promise((resolve) => socket.addEventListener('open', resolve)),
    next: () => {
      const first = arrived.shift()
      if (first !== undefined) return Promise.resolve(first)
      if (isClosed) return Promise.reject(new Error('closed'))
      return new Promise((resolve, reject) => asked.push({ resolve, reject }))
    },
    send: (message) => socket.send(message),
    closed: closed.promise,
    close: () => socket.close(),
  }
}

/** The next message, which must be text. */
export async function nextText(socket: RawSocket): Promise<string> {
  const message = await socket.next()
  if (typeof message !== 'string') throw new Error('a binary message')
  return message
}

/** The handshake in an Engine.IO open packet. */
export type OpenPacket = {
  sid: string
  upgrades: string[]
  pingInterval: number
  pingTimeout: number
  maxPayload: number
}

export function parseOpen(packet: string | ArrayBuffer): OpenPacket {
  if (typeof packet !== 'string' || packet[0] !== '0') throw new Error('not an open packet')
  return JSON.parse(packet.slice(1)) as OpenPacket
}

/** Engine.IO over HTTP, request by request. */
export type RawPolling = {
  sid: string
  poll: () => Promise<{ status: number; text: string }>
  post: (body: string) => Promise<{ status: number; text: string }>
}

export async function rawRequest(url: string, init?: RequestInit): Promise<{ status: number; text: string }> {
  const response = await fetch(url, init)
  return { status: response.status, text: await response.text() }
}

/** Opens a polling session on `<base>?EIO=4`. */
export async function rawPolling(base: string): Promise<RawPolling> {
  const url = `${base}?EIO=4&transport=polling`
  const { sid } = parseOpen((await rawRequest(url)).text)
  return {
    sid,
    poll: () => rawRequest(`${url}&sid=${sid}`),
    post: (body) => rawRequest(`${url}&sid=${sid}`, { method: 'POST', body }),
  }
}
