import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

  test('of the gateway in the middle of an upload: what is there in part is never given out or sent, and the upload is tried again', async () => {
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
  })

  test('of the stats service that removes files: another goes on, and nothing of them stays', async () => {
    const files = mongo.db().collection('files')
    const toClear = mongo.db().collection('filesToClear')
    await Promise.all(
      Array.from({ length: 150 }, async () => {
        assert.equal((await fetch(putUrl(await announce(4)), { method: 'PUT', body: 'abcd' })).status, 200)
      }),
    )
    // As if a day had passed for those that were not sent. The one that was sent stays.
    await files.updateMany({}, { $set: { lookAtMS: 1 }, $unset: { heldUntilMS: 1 } })
    const dying = await platform.start('stats', env)
    await eventually('some are removed', async () => (await files.countDocuments()) < 151, 60)
    await dying.kill()
    await platform.start('stats', env)
    await toClear.updateMany({}, { $set: { nextMS: 1 } })
    await files.updateMany({}, { $set: { lookAtMS: 1 } })
    await eventually('one is left', async () => (await files.countDocuments()) === 1, 120)
    const isSoon = { nextMS: { $lt: Date.now() + 600_000 } }
    await eventually('the store is cleared', async () => (await toClear.countDocuments(isSoon)) === 0, 120)
    // Of the one that is left: its content, and what came before the kill.
    assert.equal(filesIn().length, 2)
  })
})
