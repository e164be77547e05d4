import koffi from 'koffi'

/** Functions of the C library that Node.js lacks. The caller must close the descriptors that they return. */
export interface Libc {
  /** Accepts a waiting connection without blocking (accept4(2)); undefined when none waits, or no descriptor is left. */
  accept(listener: number): number | undefined
  /** The IP address of a connection's peer (getpeername(2)) in 4 or 16 bytes; undefined when it has gone. */
  peer(descriptor: number): Uint8Array | undefined
  /** Another descriptor of the same connection (F_DUPFD_CLOEXEC of fcntl(2)); undefined when none is left. */
  duplicate(descriptor: number): number | undefined
}

const nonBlocking = 0o4000
const closeOnExec = 0o2000000
const duplicateCloseOnExec = 1030
const inet = 2
const inet6 = 10

/** The C library of this process; undefined where it is not Linux's. */
export function loadLibc(): Libc | undefined {
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
