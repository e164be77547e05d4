import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clearNext } from '@parley/chat/files/clear-files'
import type { S3Store } from '@parley/files/file-store'
import { s3Store } from '@parley/files/s3-store'
import { eventually } from '@parley/stack/eventually'
import { type S3Server, startS3 } from '@parley/stack/test-s3'
import { linesIn, unzipped } from '@parley/stack/test-unzip'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { lookAtAll, png, put } from './test-files.ts'

describe('files in an S3-compatible store', () => {
  let dir: string
  let server: S3Server
  let store: S3Store
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'parley-s3-'))
    server = await startS3(dir)
    store = s3Store({ ...server, region: 'us-east-1', pathStyle: true, prefix: 'files/' })
    gateway = await startTestGateway({ files: { store } })
    alice = await gateway.newUser()
    bob = await gateway.newUser()
    room = await gateway.newRoom([alice, bob])
  })
  afterAll(async () => {
    await gateway.stop()
    await server.stop()
    await rm(dir, { recursive: true })
  })

  const picture = { name: 'Bär.png', type: 'image/png', size: png.length }
  const confirm = (id: string) => alice.call('POST', `/files/${id}/uploaded`)
  const sendFile = (fileID: string) =>
    alice.call('POST', `/rooms/${room}/message`, { message: 'x', messageType: 'image', attachments: [{ fileID }] })

  test('bytes bypass the gateways, can be sent once confirmed, and leave the store with their message', async () => {
    const announced = await alice.call('POST', '/files', picture)
    const { fileID: id, upload } = announced.body.result
    assert.equal(new URL(upload.url).origin, server.endpoint)
    const policy = (await fetch(`${gateway.url}/chat`)).headers.get('content-security-policy') ?? ''
    for (const directive of [`img-src 'self' data: ${server.endpoint};`, `connect-src 'self' ${server.endpoint};`])
      assert.ok(policy.includes(directive), 'the chat page may use it')
    assert.match((await confirm(id)).body.error.message, /not uploaded yet/)
    assert.equal((await sendFile(id)).status, 400)
    assert.equal((await put(announced, png)).status, 200)
    assert.equal((await confirm(id)).body.result.status, 'uploaded')
    assert.equal((await confirm(id)).status, 200, 'once more changes nothing')
    const { _id } = (await sendFile(id)).body.result

    const { url } = (await bob.call('GET', `/files/${id}`)).body.result
    assert.equal(new URL(url).origin, server.endpoint)
    const answer = await fetch(url, { headers: { range: 'bytes=1-3' } })
    assert.deepEqual([answer.status, await answer.text()], [206, 'PNG'])
    assert.equal(answer.headers.get('content-type'), 'image/png')
    assert.match(answer.headers.get('content-disposition') ?? '', /^inline; .*filename\*=UTF-8''B%C3%A4r.png$/)

    await lookAtAll(gateway.chat, { store }, Date.now())
    const { thumbnail } = (await bob.call('GET', `/files/${id}`)).body.result
    assert.equal((await fetch(thumbnail.url)).headers.get('content-type'), 'image/webp')
    // The upload URL is still valid, but no longer changes the file.
    await put(announced, Buffer.alloc(png.length, 1))
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), png)
    await gateway.admin('DELETE', `/rooms/${room}/messages/${_id}`)
    assert.equal((await bob.call('GET', `/files/${id}`)).status, 404)
    const soonMS = Date.now() + 120_000
    do await lookAtAll(gateway.chat, { store }, soonMS)
    while (await clearNext(gateway.chat, store, soonMS))
    assert.equal((await fetch(url)).status, 404)
  })

  test('an upload of another size or type, or with other headers, is refused', async () => {
    const announced = await alice.call('POST', '/files', picture)
    const { fileID: id, upload } = announced.body.result
    assert.equal((await put(announced, png.subarray(1))).status, 403, 'the size is signed')
    const asText = await fetch(upload.url, { method: 'PUT', headers: { 'content-type': 'text/html' }, body: png })
    assert.equal(asText.status, 403)
    assert.equal((await put(announced, Buffer.alloc(png.length, 'x'))).status, 200)
    const refused = await confirm(id)
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'FILE_TYPE_MISMATCH'])
    assert.equal((await bob.call('POST', `/files/${id}/uploaded`)).status, 404)
    assert.equal((await put(announced, png)).status, 200)
    assert.equal((await confirm(id)).status, 200)
  })

  test('a confirmation that failed halfway, or arrives twice at once, can be repeated', async () => {
    /** Runs something once before the store does one of these. */
    const beforeNext = (step: 'take' | 'firstBytes', happens: () => Promise<void>) => {
      const { [step]: real } = store
      const once = async (...args: Parameters<S3Store['take']>) => {
        Object.assign(store, { [step]: real })
        await happens()
        return real(...args)
      }
      Object.assign(store, { [step]: once })
    }
    const another = await gateway.another({ files: { store } })
    for (const step of ['take', 'firstBytes'] as const) {
      const announced = await alice.call('POST', '/files', picture)
      const { fileID: id } = announced.body.result
      assert.equal((await put(announced, png)).status, 200)
      beforeNext(step, () => Promise.reject(new Error('S3 responds 503')))
      assert.equal((await confirm(id)).status, 503)
      const others: unknown[] = []
      beforeNext(step, async () => {
        const headers = { 'im-api-key': gateway.apiKey }
        others.push((await fetch(`${another.url}/files/${id}/uploaded`, { method: 'POST', headers })).status)
      })
      const { status, body } = await confirm(id)
      assert.deepEqual([others, status, body.result?.status], [[200], 200, 'uploaded'])
      await assert.rejects(store.firstBytes(id, 'arriving'), 'what was taken does not stay twice')
      const { url } = (await alice.call('GET', `/files/${id}`)).body.result
      assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), png)
    }
    await another.stop()
  })

  test("a client's upload does not stay beside its copy", async () => {
    const announced = await alice.call('POST', '/files', picture)
    const { fileID: id } = announced.body.result
    assert.equal((await put(announced, png)).status, 200)
    const forget = store.forget.bind(store)
    const away = () => Promise.reject(new Error('the store is away'))
    store.forget = away
    assert.equal((await confirm(id)).status, 503)
    store.forget = forget
    assert.equal((await confirm(id)).status, 200)
    await assert.rejects(store.firstBytes(id, 'arriving'), 'the repeat removes it')

    assert.equal((await sendFile(id)).status, 200)
    assert.equal((await put(announced, png)).status, 200, 'the address still holds')
    const dayMS = 24 * 60 * 60_000
    const look = async (at: S3Store, nowMS: number) => lookAtAll(gateway.chat, { store: at }, nowMS)
    await look({ ...store, forget: away }, Date.now() + dayMS + 60_000)
    assert.deepEqual(await store.readAll(id, 'arriving'), png)
    assert.equal((await bob.call('GET', `/files/${id}`)).status, 200)
    await look(store, Date.now() + 9 * dayMS)
    await assert.rejects(store.firstBytes(id, 'arriving'), 'a look removes it')
    const { url } = (await bob.call('GET', `/files/${id}`)).body.result
    assert.deepEqual(Buffer.from(await (await fetch(url)).arrayBuffer()), png)
  })

  test('a thumbnail stored while its file is being removed does not stay', async () => {
    const announced = await alice.call('POST', '/files', picture)
    const { fileID: id } = announced.body.result
    await put(announced, png)
    assert.equal((await confirm(id)).status, 200)
    let name = ''
    const keep = async (...args: Parameters<S3Store['keep']>) => {
      await store.keep(...args)
      if (args[0] !== id) return
      name = args[1]
      await gateway.chat.db.files.deleteMany({ id })
      await store.remove(id)
      await store.keep(...args)
    }
    await lookAtAll(gateway.chat, { store: { ...store, keep } }, Date.now())
    assert.notEqual(name, '')
    await assert.rejects(store.firstBytes(id, name))
  })

  test('a file confirmed many times at once is copied once', async () => {
    const announced = await alice.call('POST', '/files', picture)
    const { fileID: id } = announced.body.result
    await put(announced, png)
    const take = store.take.bind(store)
    let copies = 0
    store.take = async (...args) => {
      copies++
      await take(...args)
    }
    const confirmed = await Promise.all(Array.from({ length: 20 }, () => confirm(id)))
    store.take = take
    assert.deepEqual(new Set(confirmed.map(({ status }) => status)), new Set([200]))
    assert.equal(copies, 1)
  })

  test('while the store is unavailable, files are 503, and messages still work', async () => {
    const announced = await alice.call('POST', '/files', picture)
    assert.equal((await put(announced, png)).status, 200)
    await server.kill()
    const { fileID: id } = announced.body.result
    assert.equal((await confirm(id)).status, 503)
    const text = { message: 'x', messageType: 'text' }
    assert.equal((await alice.call('POST', `/rooms/${room}/message`, text)).status, 200)
    await server.restart()
    assert.equal((await confirm(id)).status, 200)
  })

  test('an export of a user is packed in the store, with their files, and fetched from there', async () => {
    const announced = await alice.call('POST', '/files', picture)
    await put(announced, png)
    await confirm(announced.body.result.fileID)
    const begun = await gateway.admin('POST', `/admin/clients/${encodeURIComponent(alice.id)}/export`)
    const job = async () => (await gateway.admin('GET', `/admin/jobs/${begun.body.result.job}`)).body.result
    await eventually('the export is finished', async () => (await job()).state === 'done')
    const { url, size } = (await job()).export
    assert.equal(new URL(url).origin, server.endpoint)
    const zip = Buffer.from(await (await fetch(url)).arrayBuffer())
    assert.equal(zip.length, size)
    const files = unzipped(zip)
    assert.match(files[`files/${announced.body.result.fileID}-Bär.png`] ?? '', /PNG/)
    assert.ok(linesIn(files['import.ndjson']).some(({ type, _id }) => type === 'user' && _id === alice.id))
  })
})
