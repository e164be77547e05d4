import type { UploadOptions } from '../files/files.ts'
import { errorOf, networkError, type ParleyError } from '../parley-error.ts'

/** The used part of XMLHttpRequest. */
interface Request {
  status: number
  response: unknown
  responseType: string
  upload: Pick<EventTarget, 'addEventListener'>
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  send(body: Blob): void
  abort(): void
}

/** Returns a `send` option that reports progress. Only XMLHttpRequest can; without it, as in Node.js, returns none. */
export function sendWithProgress(
  signal: AbortSignal,
  onProgress: (sentBytes: number) => void,
): Pick<UploadOptions, 'send'> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Request }
  if (!XMLHttpRequest) return {}
  return {
    send({ method, url, headers }, file) {
      const request = new XMLHttpRequest()
      const abort = () => request.abort()
      return new Promise<void>((resolve, reject: (error: ParleyError) => void) => {
        if (signal.aborted) return reject(networkError(signal.reason))
        request.open(method, url)
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
        request.responseType = 'json'
        request.upload.addEventListener('progress', (event) => onProgress((event as Event & { loaded: number }).loaded))
        request.addEventListener('load', () => {
          const { status, response } = request
          if (status >= 200 && status < 300) resolve()
          else reject(errorOf(status, response))
        })
        request.addEventListener('error', () => reject(networkError('the upload was interrupted')))
        request.addEventListener('abort', () => reject(networkError(signal.reason)))
        signal.addEventListener('abort', abort)
        request.send(file)
      }).finally(() => signal.removeEventListener('abort', abort))
    },
  }
}
