import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type PlatformUser, startPlatform } from '../platform.ts'

const size = 8 * 1024 * 1024

describe('files survive kill -9', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-files-'))
  const env = { PARLEY_FILES_FOLDER: folder }
  let platform: Platform
  let mongo: MongoClient
  let alice: PlatformUser
  beforeAll(async () => {
    platform = await startPlatform()
    mongo = await MongoClient.connect(platform.servers.mongoUrl)
  })
  afterAll(async () => {
    await mongo.close()
    await platform.stop()
    rmSync(folder, { recursive: true })
  })

  const filesIn = (): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? join(entry.parentPath, entry.name) : [],
    )
  const announce = (bytes: number) => alice.call('POST', '/files', { name: 'film.bin', size: bytes })
  const putUrl = ({ upload }: Record<string, unknown>) => (upload as { url: string }).url

  test('of the gateway during an upload: a partial file cannot be sent or downloaded, and the upload can be retried', async () => {
    const dying = await platform.start('api-gateway', env)
    alice = await platform.newUser('alice')
    const room = await platform.newRoom([alice.id])
    const announced = await announce(size)
    const half = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(size / 2).fill(1)),
    })
    const broken = fetch(putUrl(announced), { method: 'PUT', body: half, duplex: 'half' })
    const failed = assert.rejects(broken)
    await eventually('a part is written', () => Promise.resolve(filesIn().length > 0), 60)
    await dying.kill()
    await failed
    assert.equal(filesIn().length, 1)

    const gateway = await platform.start('api-gateway', env)
    const path = `/files/${String(announced['fileID'])}`
    const found = await alice.call('GET', path)
    assert.deepEqual([found['status'], found['url']], ['waiting', undefined])
    const attachments = [{ fileID: announced['fileID'] }]
    const message = { message: 'x', messageType: 'file', attachments }
    const sent = await call(gateway.url, 'POST', `/rooms/${room}/message`, alice.headers, message)
    assert.equal(sent.status, 400)

    const again = putUrl(announced).replace(dying.url, gateway.url)
    const whole = new Uint8Array(size).fill(2)
    assert.equal((await fetch(again, { method: 'PUT', body: whole })).status, 200)
    await alice.call('POST', `/rooms/${room}/message`, message)
    const { url } = await alice.call('GET', path)
    const bytes = new Uint8Array(await (await fetch(String(url))).arrayBuffer())
    assert.ok(Buffer.from(bytes).equals(whole))
    assert.equal(filesIn().length, 1, 'the retried upload replaced the partial file')
  })

  test('of the stats service during file removal: another one continues and removes all files', async () => {
    const files = mongo.db().collection('files')
    const toClear = mongo.db().collection('filesToClear')
    const others = filesIn().toSorted()
    const ids = await Promise.all(
      Array.from({ length: 150 }, async () => {
        const announced = await announce(4)
        assert.equal((await fetch(putUrl(announced), { method: 'PUT', body: 'abcd' })).status, 200)
        return announced['fileID']
      }),
    )
    const count = () => files.countDocuments({ id: { $in: ids } })
    // Make the files due, as if the unsent ones were a day old. Sent files stay.
    await files.updateMany({}, { $set: { checkAtMS: 1 }, $unset: { heldUntilMS: 1 } })
    const dying = await platform.start('stats', env)
    await eventually('some are removed', async () => (await count()) < ids.length, 60)
    await dying.kill()
    const next = await platform.start('stats', env)
    await toClear.updateMany({}, { $set: { nextMS: 1 } })
    await files.updateMany({}, { $set: { checkAtMS: 1 } })
    await eventually('none is left', async () => (await count()) === 0, 120)
    const isSoon = { nextMS: { $lt: Date.now() + 600_000 } }
    await eventually('the store is cleared', async () => (await toClear.countDocuments(isSoon)) === 0, 120)
    assert.deepEqual(filesIn().toSorted(), others)
    await next.kill()
  })

  test('of the stats service during a thumbnail: another one makes it', async () => {
    const files = mongo.db().collection('files')
    const picture = grayPng(7_000)
    // Retry until a kill hits an unfinished thumbnail.
    for (;;) {
      const announced = await alice.call('POST', '/files', {
        name: 'wall.png',
        type: 'image/png',
        size: picture.length,
      })
      const id = String(announced['fileID'])
      const upload = { method: 'PUT', body: new Uint8Array(picture), headers: { 'content-type': 'image/png' } }
      const dying = await platform.start('stats', env)
      assert.equal((await fetch(putUrl(announced), upload)).status, 200)
      const begun = { id, $or: [{ thumbnailTries: { $gt: 0 } }, { thumbnail: { $exists: true } }] }
      await eventually('it is begun', () => files.findOne(begun))
      await dying.kill()
      const file = await files.findOne({ id })
      if (file?.['thumbnail'] !== undefined) continue
      assert.equal(file?.['thumbnailTries'], 1)
      // Expire the killed process's lease on the file.
      await files.updateOne({ id }, { $set: { checkAtMS: 1 } })
      await platform.start('stats', env)
      const thumbnail = await eventually('the thumbnail', async () => {
        const found = await alice.call('GET', `/files/${id}`)
        return found['thumbnail'] as { url: string; width: number } | undefined
      })
      assert.equal(thumbnail.width, 480)
      assert.equal((await fetch(thumbnail.url)).headers.get('content-type'), 'image/webp')
      break
    }
  })
})

/** A black square PNG: small, but slow to decode. */
function grayPng(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  // Eight bits, gray.
  header[8] = 8
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const ends = Buffer.alloc(8)
    ends.writeUInt32BE(data.length, 0)
    ends.writeUInt32BE(crc32(body), 4)
    return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)])
  }
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = deflateSync(Buffer.alloc(side * (side + 1)))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}
