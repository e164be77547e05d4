import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, statSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { createUploads } from '@parley/chat/files/uploads'
import { folderStore } from '@parley/files/folder-store'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { put } from './test-files.ts'

const MiB = 1024 * 1024
const size = 4 * MiB

/** An upload whose bytes come when the test says so. */
interface SlowUpload {
  send(bytes: number): void
  /** Its status and error code. */
  outcome: Promise<[number | undefined, string | undefined]>
}

describe('uploads', () => {
  let gateway: TestGateway
  let alice: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser()
  })
  afterAll(() => gateway.stop())

  const announce = (by: TestUser | TestGateway['admin'] = alice, bytes = size) =>
    (typeof by === 'function' ? by : by.call)('POST', '/files', { name: 'film.bin', size: bytes })
  function begin(announced: Answer, at = gateway.url): SlowUpload {
    const url = announced.body.result.upload.url.replace(gateway.url, at)
    const upload: ClientRequest = request(url, { method: 'PUT', headers: { 'content-length': size } })
    upload.flushHeaders()
    // The gateway can close the connection after its response.
    upload.on('error', () => undefined)
    const outcome = (async (): Promise<[number | undefined, string | undefined]> => {
      const [response] = (await once(upload, 'response')) as [IncomingMessage]
      const { error } = (await json(response)) as { error?: { code: string } }
      return [response.statusCode, error?.code]
    })()
    return { send: (bytes) => void upload.write(Buffer.alloc(bytes, 1)), outcome }
  }
  const codeOf = async (response: Response) => {
    const { error } = (await response.json()) as { error?: { code: string } }
    return [response.status, error?.code]
  }
  /** The bytes of a file's uploads, whole or in part. */
  function bytesOf(announced: Answer): number {
    const id: string = announced.body.result.fileID
    const folder = join(gateway.store.root, id.slice(-2), id)
    return readdirSync(folder).reduce(
      (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
  }
  const untilWritten = (announced: Answer, bytes: number) =>
    vi.waitFor(() => assert.equal(bytesOf(announced), bytes), { timeout: 60_000 })

  test('of one file: a new one aborts the previous one, which leaves no bytes behind', async () => {
    const announced = await announce()
    let last = begin(announced)
    for (let i = 0; i < 8; i++) {
      last.send(size / 2)
      await untilWritten(announced, size / 2)
      const before = last
      last = begin(announced)
      assert.deepEqual(await before.outcome, [409, 'UPLOAD_REPLACED'])
    }
    last.send(size)
    assert.deepEqual(await last.outcome, [200, undefined])
    assert.equal(bytesOf(announced), size)
    assert.deepEqual(await codeOf(await put(announced, new Uint8Array(size))), [409, 'FILE_UPLOADED'])
  })

  test('of one file, many at once: one succeeds, and the others are refused', async () => {
    const announced = await announce()
    const uploads = Array.from({ length: 40 }, () => begin(announced))
    for (const upload of uploads) upload.send(size)
    const outcomes = await Promise.all(uploads.map(({ outcome }) => outcome))
    const codes = outcomes.map(([status, code]) => code ?? status)
    assert.equal(codes.filter((code) => code === 200).length, 1)
    assert.deepEqual(new Set(codes), new Set([200, 'UPLOAD_REPLACED']))
    assert.equal(bytesOf(announced), size)
  })

  test('of one file to two gateways: the earlier one is aborted there too', async () => {
    const other = await gateway.another({ files: { store: gateway.store } })
    const announced = await announce()
    const first = begin(announced, other.url)
    first.send(size / 2)
    await untilWritten(announced, size / 2)
    const second = begin(announced)
    second.send(size / 4)
    await untilWritten(announced, size / 4)
    first.send(size / 2)
    assert.deepEqual(await first.outcome, [409, 'UPLOAD_REPLACED'])
    second.send((size * 3) / 4)
    assert.deepEqual(await second.outcome, [200, undefined])
    await other.stop()
  })

  test('in flight are bounded in bytes per user and in total, but a single one can exceed that', async () => {
    const uploads = createUploads({ bytesPerUser: 1.5 * size, bytes: 2.5 * size })
    const limited = await gateway.another({ files: { store: gateway.store, uploads } })
    const [bob, carol] = [await gateway.newUser(), await gateway.newUser()]
    const whole = async (announced: Answer) => {
      const { url } = announced.body.result.upload
      const there = url.replace(gateway.url, limited.url)
      return fetch(there, { method: 'PUT', body: new Uint8Array(announced.body.result.size) })
    }
    const first = await announce()
    const slow = begin(first, limited.url)
    slow.send(size / 2)
    await untilWritten(first, size / 2)
    const refused = await whole(await announce())
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.deepEqual(await codeOf(refused), [429, 'TOO_MANY_REQUESTS'])
    const second = await announce(bob)
    const other = begin(second, limited.url)
    other.send(size / 2)
    await untilWritten(second, size / 2)
    assert.deepEqual(await codeOf(await whole(await announce(carol))), [429, 'TOO_MANY_REQUESTS'])
    slow.send(size / 2)
    other.send(size / 2)
    assert.deepEqual(
      [await slow.outcome, await other.outcome],
      [
        [200, undefined],
        [200, undefined],
      ],
    )
    assert.equal((await whole(await announce(alice, 3 * size))).status, 200)
    await limited.stop()
  })

  test('are rate limited per minute with 429 and Retry-After; those by API key at the rate of the key', async () => {
    const seen = new Map<string, number>()
    const hit = (name: string) => {
      seen.set(name, (seen.get(name) ?? 0) + 1)
      return { count: seen.get(name) ?? 0, leftMS: 30_000 }
    }
    const rateLimits = {
      counts: { hit },
      perApiKey: 4,
      perUser: 0,
      perApp: 0,
      failedLoginsPerAddress: 0,
      uploadsPerUser: 2,
    }
    const limited = await gateway.another({ rateLimits, files: { store: gateway.store } })
    const statuses = async (announced: Answer, count: number) => {
      const found = []
      for (let i = 0; i < count; i++) {
        const url = announced.body.result.upload.url.replace(gateway.url, limited.url)
        const response = await fetch(url, { method: 'PUT', body: 'too short' })
        found.push(response.status === 429 ? response.headers.get('retry-after') : response.status)
      }
      return found
    }
    assert.deepEqual(await statuses(await announce(), 3), [400, 400, '30'])
    assert.deepEqual(await statuses(await announce(gateway.admin), 5), [400, 400, 400, 400, '30'])
    await limited.stop()
  })

  test('keep disk space free: further ones are 507 STORAGE_FULL, on announcement and on upload', async () => {
    const full = await gateway.another({ files: { store: folderStore(gateway.store.root, Number.MAX_SAFE_INTEGER) } })
    const announced = await announce()
    const url = announced.body.result.upload.url.replace(gateway.url, full.url)
    assert.deepEqual(await codeOf(await fetch(url, { method: 'PUT', body: new Uint8Array(size) })), [
      507,
      'STORAGE_FULL',
    ])
    const headers = { 'im-api-key': gateway.apiKey, 'content-type': 'application/json' }
    const body = JSON.stringify({ name: 'a', size: 1 })
    assert.deepEqual(await codeOf(await fetch(`${full.url}/files`, { method: 'POST', headers, body })), [
      507,
      'STORAGE_FULL',
    ])
    assert.equal((await put(announced, new Uint8Array(size))).status, 200, 'where there is room')
    await full.stop()
  })
})
