import type { HttpResponse } from 'uWebSockets.js'

/** Bytes of an oversized body that are read, so that proxies deliver the response. */
const refusedBytes = 1_048_576
const firstBytes = 4_096

/** A body; `text` is undefined if it was too large, `isWhole` false if it is incomplete. */
type Body = { text: string | undefined; isWhole: boolean }

type Reading = {
  limit: number
  withinMS: number
  done: (body: Body) => void
  /** Called if the body did not arrive completely with the request. */
  isLong?: () => void
}

/**
 * Reads a body of at most `limit` bytes. Closes the connection after `withinMS`; uWebSockets.js also does so within
 * about 10 s if the rate is below 16 KB/s. Returns a function that stops reading and frees the memory, for when the
 * requester leaves or already has its response.
 */
export function readBody(res: HttpResponse, { limit, withinMS, done, isLong }: Reading): () => void {
  const collected = new Bytes()
  let size = 0
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    isOver = true
    clearTimeout(timer)
    collected.clear()
  }
  res.onData((chunk, isLast) => {
    if (isOver) return
    size += chunk.byteLength
    if (size <= limit) collected.add(chunk)
    else collected.clear()
    if (isLast || size > limit + refusedBytes) {
      const text = size > limit ? undefined : collected.toString()
      stop()
      done({ text, isWhole: isLast })
    } else if (timer === undefined) {
      timer = setTimeout(() => res.close(), withinMS)
      isLong?.()
    }
  })
  return stop
}

/** Joins chunks of any size with bounded memory (CVE-2026-48779). */
class Bytes {
  #buffer = Buffer.alloc(0)
  #length = 0

  add(chunk: ArrayBuffer): void {
    const length = this.#length + chunk.byteLength
    if (length > this.#buffer.byteLength) {
      const larger = Buffer.allocUnsafeSlow(Math.max(firstBytes, 2 * this.#length, length))
      this.#buffer.copy(larger, 0, 0, this.#length)
      this.#buffer = larger
    }
    this.#buffer.set(new Uint8Array(chunk), this.#length)
    this.#length = length
  }

  clear(): void {
    this.#buffer = Buffer.alloc(0)
    this.#length = 0
  }

  toString(): string {
    return this.#buffer.toString('utf8', 0, this.#length)
  }
}
