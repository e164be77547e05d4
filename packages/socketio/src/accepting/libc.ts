import koffi from 'koffi'

/** Functions of the C library that Node.js lacks. The caller must close the descriptors that they return. */
export interface Libc {
  /** Accepts a waiting connection without blocking (accept4(2)); undefined when none waits, or no descriptor is left. */
  accept(listener: number): number | undefined
  /** Another descriptor of the same connection (F_DUPFD_CLOEXEC of fcntl(2)); undefined when none is left. */
  duplicate(descriptor: number): number | undefined
}

const nonBlocking = 0o4000
const closeOnExec = 0o2000000
const duplicateCloseOnExec = 1030

/** The C library of this process; undefined where it is not Linux's. */
export function loadLibc(): Libc | undefined {
  if (process.platform !== 'linux') return undefined
  const library = koffi.load(null)
  const accept4 = library.func('int accept4(int, void *, void *, int)')
  const fcntl = library.func('int fcntl(int, int, ...)')
  return {
    accept(listener) {
      const descriptor: number = accept4(listener, null, null, nonBlocking | closeOnExec)
      return descriptor < 0 ? undefined : descriptor
    },
    duplicate(descriptor) {
      const another: number = fcntl(descriptor, duplicateCloseOnExec, 'int', 0)
      return another < 0 ? undefined : another
    },
  }
}
