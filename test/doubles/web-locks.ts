import { vi } from 'vitest'

interface Request {
  ended: Promise<void>
  work: () => Promise<void>
  resolve: () => void
  reject: (error: unknown) => void
}

interface Options {
  signal?: AbortSignal
  steal?: boolean
}

/** A double of the Web Locks of one origin, which Node.js 22 lacks. */
function webLocks() {
  const held = new Map<string, Request>()
  const waiting = new Map<string, Request[]>()
  const aborted = () => new DOMException('stolen, or no longer wanted', 'AbortError')

  function grant(name: string): void {
    const [next, ...others] = waiting.get(name) ?? []
    if (held.has(name) || !next) return
    waiting.set(name, others)
    hold(name, next)
  }

  function hold(name: string, request: Request): void {
    held.set(name, request)
    void request.work().then(request.resolve, request.reject)
    const free = () => {
      if (held.get(name) !== request) return
      held.delete(name)
      grant(name)
    }
    void request.ended.then(free, free)
  }

  return {
    request(name: string, { signal, steal = false }: Options, work: () => Promise<void>): Promise<void> {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const request: Request = { work, resolve, reject, ended: promise }
      signal?.addEventListener('abort', () => {
        const others = waiting.get(name) ?? []
        waiting.set(
          name,
          others.filter((one) => one !== request),
        )
        if (others.includes(request)) reject(aborted())
      })
      queueMicrotask(() => {
        if (signal?.aborted) return reject(aborted())
        if (steal) {
          held.get(name)?.reject(aborted())
          return hold(name, request)
        }
        waiting.set(name, [...(waiting.get(name) ?? []), request])
        grant(name)
      })
      return promise
    },
  }
}

/** Gives this process Web Locks like a browser. BroadcastChannel is Node's. */
export function useWebLocks(): void {
  vi.stubGlobal('navigator', { locks: webLocks() })
  vi.stubGlobal('isSecureContext', true)
}
