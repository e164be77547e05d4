import type { TemplatedApp } from 'uWebSockets.js'
import { closeSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import koffi from 'koffi'
import { us_listen_socket_close, us_socket_local_port } from '../uws.ts'
import type { Handshakes } from './handshakes.ts'

/** The kernel's backlog of connections to accept, which it limits to net.core.somaxconn. */
const backlog = 4_096
/** Connections accepted in one turn of the event loop, at some 10 µs each. */
const acceptedPerTurn = 64
/** Retry interval for connections without a slot. */
const retryAfterMS = 5

interface ListenOptions {
  host: string
  /** 0 picks a free port. */
  port: number
  /** The slots that a connection needs before it is served. */
  handshakes: Handshakes
  /** A connection with this descriptor or a higher one is closed at once, so that the process can open other files. */
  descriptors: number
  /** Called for each connection that is closed for lack of descriptors. */
  onFull: () => void
}

export interface Listening {
  port: number
  /** Stops accepting. Connections stay open; those that wait for a slot are served. */
  close(): void
}

/** Undeclared APIs of Node.js handles and uWebSockets.js apps (github.com/uNetworking/uWebSockets.js/issues/766). */
type WithDescriptor = { _handle: { fd: number } }
type Adopting = TemplatedApp & { adoptSocket(descriptor: number, address: Uint8Array): void }

interface Accepted {
  descriptor: number
  /**
   * From version 20.66 on, uWebSockets.js does not look up the address of a connection that it did not accept itself.
   */
  address: Uint8Array
}

/**
 * Listens for an app. uWebSockets.js accepts all waiting connections in one event loop turn and reads all of them in
 * the next, so in a reconnect storm it serves nothing else. Instead, Node.js listens and hands connections to the app,
 * in order, while handshake slots are free. Outside Linux, the app itself listens.
 * @throws Error if the port is taken or not allowed
 */
export function listen(app: TemplatedApp, options: ListenOptions): Promise<Listening> {
  const libc = loadLibc()
  return libc === undefined ? listenByItself(app, options) : listenFor(app as Adopting, libc, options)
}

function listenFor(app: Adopting, libc: Libc, options: ListenOptions): Promise<Listening> {
  const { host, port, handshakes, descriptors, onFull } = options
  let waiting: Accepted[] = []
  let timer: NodeJS.Timeout | undefined

  function handOver(): void {
    timer = undefined
    let taken = 0
    while (taken < waiting.length && handshakes.begin()) adopt(waiting[taken++] as Accepted)
    waiting.splice(0, taken)
    if (waiting.length > 0) timer = setTimeout(handOver, retryAfterMS)
  }

  function adopt({ descriptor, address }: Accepted): void {
    app.adoptSocket(descriptor, address)
  }

  function wait(descriptor: number): void {
    // Linux assigns the lowest free descriptor, so all lower ones are in use.
    if (descriptor >= descriptors) {
      closeSync(descriptor)
      onFull()
      return
    }
    const address = libc.peer(descriptor)
    // Limits are by address, so a connection without one is closed.
    if (address === undefined) closeSync(descriptor)
    else waiting.push({ descriptor, address })
  }

  const server = createServer({ pauseOnConnect: true }, (socket) => {
    // libuv reports one connection per turn. Node.js closes its descriptor, so the app needs its own.
    const first = libc.duplicate(descriptorOf(socket))
    socket.destroy()
    if (first === undefined) return onFull()
    wait(first)
    for (let others = 1; others < acceptedPerTurn && server.listening; others++) {
      const descriptor = libc.accept(descriptorOf(server))
      if (descriptor === undefined) break
      wait(descriptor)
    }
    if (timer === undefined) handOver()
  })

  return new Promise((resolve, reject) => {
    server.once('error', ({ message }) => reject(cannotListen({ host, port }, message)))
    server.listen({ host, port, backlog }, () => {
      const address = server.address()
      resolve({
        port: typeof address === 'object' ? (address?.port ?? 0) : 0,
        close() {
          server.close()
          clearTimeout(timer)
          for (const accepted of waiting) adopt(accepted)
          waiting = []
        },
      })
    })
  })
}

function descriptorOf(of: Server | Socket): number {
  return (of as unknown as WithDescriptor)._handle.fd
}

function listenByItself(app: TemplatedApp, { host, port }: ListenOptions): Promise<Listening> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve({ port: us_socket_local_port(socket), close: () => us_listen_socket_close(socket) })
      else reject(cannotListen({ host, port }, 'in use or not allowed'))
    })
  })
}

function cannotListen({ host, port }: { host: string; port: number }, why: string): Error {
  return new Error(`port ${port} on ${host}: ${why}`)
}

/** Functions of the C library that Node.js lacks. The caller must close the descriptors that they return. */
interface Libc {
  /** Accepts a waiting connection without blocking (accept4(2)); undefined if none waits, or no descriptor is left. */
  accept(listener: number): number | undefined
  /** The IP address of a connection's peer (getpeername(2)) in 4 or 16 bytes; undefined if the peer has gone. */
  peer(descriptor: number): Uint8Array | undefined
  /** Another descriptor of the same connection (F_DUPFD_CLOEXEC of fcntl(2)); undefined if none is left. */
  duplicate(descriptor: number): number | undefined
}

const nonBlocking = 0o4000
const closeOnExec = 0o2000000
const duplicateCloseOnExec = 1030
const inet = 2
const inet6 = 10

/** The C library of this process; undefined outside Linux. */
function loadLibc(): Libc | undefined {
  if (process.platform !== 'linux') return undefined
  const library = koffi.load(null)
  const accept4 = library.func('int accept4(int, void *, void *, int)')
  const fcntl = library.func('int fcntl(int, int, ...)')
  const getpeername = library.func('int getpeername(int, void *, void *)')
  /** A sockaddr of any family: the family, for IP the port, and for IPv6 flow information before the address. */
  const name = new DataView(new ArrayBuffer(128))
  const nameLength = new Uint32Array(1)
  return {
    accept(listener) {
      const descriptor: number = accept4(listener, null, null, nonBlocking | closeOnExec)
      return descriptor < 0 ? undefined : descriptor
    },
    peer(descriptor) {
      nameLength[0] = name.byteLength
      const failed: number = getpeername(descriptor, name.buffer, nameLength)
      if (failed !== 0) return undefined
      const family = name.getUint16(0, true)
      if (family === inet) return new Uint8Array(name.buffer.slice(4, 8))
      return family === inet6 ? new Uint8Array(name.buffer.slice(8, 24)) : undefined
    },
    duplicate(descriptor) {
      const another: number = fcntl(descriptor, duplicateCloseOnExec, 'int', 0)
      return another < 0 ? undefined : another
    },
  }
}
