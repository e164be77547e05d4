import assert from 'node:assert/strict'
import { getEventListeners, once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'vitest'
import { writeZip, type ZipEntry } from './zip.ts'

async function* entriesOf(...sources: Readable[]): AsyncGenerator<ZipEntry> {
  for (const [i, source] of sources.entries()) yield { name: `${i}.txt`, open: () => Promise.resolve(source) }
}

test('a ZIP leaves no listener at the signal', async () => {
  const { signal } = new AbortController()
  const zip = await buffer(writeZip(entriesOf(Readable.from([Buffer.from('a')])), signal))
  assert.equal(zip.toString('latin1', 0, 2), 'PK')
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('a destroyed ZIP closes the open entry and the list of entries', async () => {
  const { signal } = new AbortController()
  const source = new Readable({ read: () => undefined })
  const closed = once(source, 'close')
  const ended = Promise.withResolvers<void>()
  async function* entries(): AsyncGenerator<ZipEntry> {
    try {
      yield* entriesOf(source)
    } finally {
      ended.resolve()
    }
  }
  const zip = writeZip(entries(), signal)
  await once(zip, 'readable')
  zip.destroy()
  await closed
  await ended.promise
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('an entry that opens once the ZIP is destroyed is closed', async () => {
  const { signal } = new AbortController()
  const source = new Readable({ read: () => undefined })
  const closed = once(source, 'close')
  const [asked, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<Readable>()]
  async function* entries(): AsyncGenerator<ZipEntry> {
    yield {
      name: 'a',
      open() {
        asked.resolve()
        return opened.promise
      },
    }
  }
  const zip = writeZip(entries(), signal)
  await asked.promise
  zip.destroy()
  await once(zip, 'close')
  opened.resolve(source)
  await closed
})

test('an aborted signal fails the ZIP', async () => {
  const stopping = new AbortController()
  const zip = writeZip(entriesOf(new Readable({ read: () => undefined })), stopping.signal)
  const failed = once(zip, 'error')
  stopping.abort(new Error('stopping'))
  assert.equal((await failed)[0].message, 'stopping')
})
