import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listenOnLoopback } from '@parley/stack/loopback'
import { type S3Server, startS3 } from '@parley/stack/test-s3'
import { linesIn, unzipped } from '@parley/stack/test-unzip'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

const messages = 90
type Fate = 'pass' | 'hold' | 'hold the answer' | 'fail'

describe('an export', () => {
  let dir: string
  let bucket: S3Server
  let proxy: Server
  let platform: Platform
  let mongo: MongoClient
  let env: NodeJS.ProcessEnv
  let fateOf: (asked: string) => Fate = () => 'pass'
  const held: string[] = []

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'parley-export-'))
    bucket = await startS3(dir)
    proxy = createServer((asked, answer) => {
      const name = `${asked.method} ${asked.url?.split('?')[0]?.split('/').at(-1)}`
      const fate = fateOf(name)
      if (fate === 'fail') answer.writeHead(500).end()
      if (fate === 'hold') held.push(name)
      if (fate === 'fail' || fate === 'hold') return
      const { method, headers, url: path } = asked
      const onAnswer = (from: IncomingMessage) => {
        if (fate === 'hold the answer') return held.push(name)
        answer.writeHead(from.statusCode ?? 0, from.headers)
        return from.pipe(answer)
      }
      const passed = request(new URL(bucket.endpoint), { method, headers, path }, onAnswer)
      asked.pipe(passed.on('error', () => answer.destroy()))
    })
    env = {
      PARLEY_FILES_S3_ENDPOINT: `http://127.0.0.1:${await listenOnLoopback(proxy)}`,
      PARLEY_FILES_S3_BUCKET: bucket.bucket,
      PARLEY_FILES_S3_PATH_STYLE: 'true',
      PARLEY_FILES_S3_ACCESS_KEY_ID: bucket.accessKeyId,
      PARLEY_FILES_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    }
    platform = await startPlatform()
    mongo = await MongoClient.connect(platform.servers.mongoUrl)
    await platform.start('api-gateway', env)
    await platform.newUser('dave')
    const rooms = [await platform.newRoom(['dave']), await platform.newRoom(['dave'])]
    for (let n = 0; n < messages; n++) {
      const sent = { room: rooms[n % 2], sender: 'dave', messageType: 'text', message: 'x'.repeat(60_000) }
      await platform.admin('POST', '/messages', sent)
    }
  })
  afterAll(async () => {
    await mongo.close()
    await platform.stop()
    proxy.closeAllConnections()
    proxy.close()
    await bucket.stop()
    await rm(dir, { recursive: true })
  })

  const worker = () => platform.start('api-gateway', env)
  async function begin({ url }: RunningService): Promise<string> {
    held.length = 0
    const answer = await call(url, 'POST', '/admin/clients/dave/export', { 'im-api-key': platform.apiKey })
    assert.equal(answer.status, 202, JSON.stringify(answer.body))
    return String(answer.body.result['job'])
  }
  const jobs = () => mongo.db().collection('jobs')
  async function assertWhole(id: string): Promise<void> {
    const { export: made } = (await platform.admin('GET', `/admin/jobs/${id}`)) as { export: { url: string } }
    const files = unzipped(Buffer.from(await (await fetch(made.url)).arrayBuffer()))
    const ids = linesIn(files['import.ndjson']).flatMap(({ type, _id }) => (type === 'message' ? [String(_id)] : []))
    assert.deepEqual([ids.length, new Set(ids).size], [messages, messages])
  }
  async function continued(id: string): Promise<void> {
    fateOf = () => 'pass'
    const job = await eventually('another gateway ends the job', async () => {
      const found = await jobs().findOne({ id })
      return found?.['state'] === 'running' && found['attempts'] < 4 ? null : found
    })
    assert.equal(job['state'], 'done', `after ${job['attempts']} attempts`)
    await assertWhole(id)
  }

  test('continues after the last piece when its gateway is killed between two, each line once', async () => {
    const dying = await worker()
    let pieces = 0
    fateOf = (asked) => (asked.startsWith('PUT piece-') && ++pieces > 1 ? 'hold' : 'pass')
    const id = await begin(dying)
    await eventually('the second piece is on its way', () => held.length > 0)
    await dying.kill()
    const before = await jobs().findOne({ id })
    assert.deepEqual([before?.['export'].pieces.length, before?.['done'] > 10], [1, true])
    await continued(id)
    assert.ok((await jobs().findOne({ id }))?.['done'] > before?.['done'])
  })

  test('is done when its gateway is killed while it deletes the pieces of the ZIP', async () => {
    const dying = await worker()
    fateOf = (asked) => (asked.startsWith('DELETE piece-') ? 'hold the answer' : 'pass')
    const id = await begin(dying)
    await eventually('the first piece is gone', () => held.length > 0)
    await dying.kill()
    assert.equal((await jobs().findOne({ id }))?.['state'], 'running')
    await continued(id)
  })

  test('is done though the store fails to remove its pieces', async () => {
    fateOf = (asked) => (asked.startsWith('DELETE piece-') ? 'fail' : 'pass')
    const id = await begin(await worker())
    await eventually('the job is done', async () => (await jobs().findOne({ id }))?.['state'] === 'done')
    await assertWhole(id)
  })
})
