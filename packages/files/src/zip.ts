import type { PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { clock } from '@parley/async/clock'
import { ZipFile } from 'yazl'

/** A file of a ZIP, opened when its turn comes. */
export interface ZipEntry {
  name: string
  open(): Promise<Readable>
  /** Already compressed, so stored as is. */
  isCompressed?: boolean
}

/** Streams a ZIP of entries. Fails if an entry fails or the signal aborts. Destroying it closes the open entry. */
export function writeZip(entries: AsyncIterable<ZipEntry>, signal: AbortSignal): Readable {
  const zip = new ZipFile()
  const out = zip.outputStream as PassThrough
  let source: Readable | undefined
  const add = async () => {
    for await (const entry of entries) {
      signal.throwIfAborted()
      source = await entry.open()
      if (out.destroyed) source.destroy()
      else zip.addReadStream(source, entry.name, { compress: entry.isCompressed !== true, mtime: clock.date() })
      await finished(source)
    }
    zip.end()
  }
  const fail = (error: unknown) => out.destroy(error instanceof Error ? error : new Error(String(error)))
  const onAbort = () => fail(signal.reason)
  signal.addEventListener('abort', onAbort)
  out.once('close', () => {
    signal.removeEventListener('abort', onAbort)
    source?.destroy()
  })
  zip.on('error', fail)
  add().catch(fail)
  return out
}
