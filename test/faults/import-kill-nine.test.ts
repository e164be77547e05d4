import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digest } from '@parley/db/apps/apps'
import { key } from '@parley/db/keys'
import { makeApp } from '@parley/local/make-app'
import { listenOnLoopback } from '@parley/stack/loopback'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { type S3Server, startS3 } from '@parley/stack/test-s3'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, startPlatform } from '../platform.ts'

const count = 12
const importedID = (app: string, id: string) => digest(key(app, 'file', id)).slice(0, 24)
/** More than a part of an upload to S3 has. */
const large = 12 * 1024 * 1024

describe('the files of an app survive kill -9 of parley export and parley import', () => {
  let dir: string
  let bucket: S3Server
  let proxy: Server
  let platform: Platform
  let gatewayUrl: string
  let env: NodeJS.ProcessEnv
  let holds: (asked: string) => boolean = () => false
  let asked: string[] = []
  const ids: string[] = []
  const contentOf = (n: number) => Buffer.alloc(n === 0 ? large : 20_000 + n, `file ${n} `)

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'parley-import-kill-'))
    bucket = await startS3(dir)
    proxy = createServer((incoming, answer) => {
      const { method = '', headers, url: path = '' } = incoming
      asked.push(`${method} ${path}`)
      // Half of the bytes may have arrived.
      if (holds(`${method} ${path}`)) return incoming.resume()
      const onAnswer = (from: IncomingMessage) => from.pipe(answer.writeHead(from.statusCode ?? 0, from.headers))
      const passed = request(new URL(bucket.endpoint), { method, headers, path }, onAnswer)
      return incoming.pipe(passed.on('error', () => answer.destroy()))
    })
    env = {
      PARLEY_FILES_S3_ENDPOINT: `http://127.0.0.1:${await listenOnLoopback(proxy)}`,
      PARLEY_FILES_S3_BUCKET: bucket.bucket,
      PARLEY_FILES_S3_PATH_STYLE: 'true',
      PARLEY_FILES_S3_ACCESS_KEY_ID: bucket.accessKeyId,
      PARLEY_FILES_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    }
    platform = await startPlatform()
    gatewayUrl = (await platform.start('api-gateway', env)).url
    const dave = await platform.newUser('dave')
    const room = await platform.newRoom(['dave'])
    for (let n = 0; n < count; n++) {
      const content = contentOf(n)
      const { fileID, upload } = await dave.call('POST', '/files', { name: `${n}.bin`, size: content.length })
      const { url, headers } = upload as { url: string; headers: Record<string, string> }
      assert.equal((await fetch(url, { method: 'PUT', headers, body: content })).status, 200)
      await dave.call('POST', `/files/${String(fileID)}/uploaded`)
      const sent = { message: `${n}`, messageType: 'file', attachments: [{ fileID }] }
      await dave.call('POST', `/rooms/${room}/message`, sent)
      ids.push(String(fileID))
    }
  })
  afterAll(async () => {
    await platform.stop()
    proxy.closeAllConnections()
    proxy.close()
    await bucket.stop()
    await rm(dir, { recursive: true })
  })

  function parley(...args: string[]) {
    asked = []
    const options = { env: { ...commandEnv, ...env, PARLEY_MONGO_URL: platform.servers.mongoUrl } }
    const child = spawn(process.execPath, [parleyFile, ...args], options)
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const end = once(child, 'close').then(([code]) => ({ code: code as number | null, text }))
    return { child, end, text: () => text }
  }
  /** Runs a command that a kill ends once the store has been asked for this often, and then again to its end. */
  async function killedAt(
    {
      matches,
      times,
      isDue = () => true,
    }: { matches: RegExp; times: number; isDue?: () => Promise<boolean> | boolean },
    ...args: string[]
  ): Promise<void> {
    let matched = 0
    let isHeld = false
    holds = (one) => {
      const isOver = matches.test(one) && ++matched > times
      isHeld ||= isOver
      return isOver
    }
    const dying = parley(...args)
    await eventually('a kill is due', async () => (isHeld && (await isDue())) || dying.child.exitCode !== null)
    assert.equal(dying.child.exitCode, null, dying.text())
    dying.child.kill('SIGKILL')
    await dying.end
    holds = () => false
    const { code, text } = await parley(...args).end
    assert.equal(code, 0, text)
  }

  test('both continue when they are run again, and each file is there once, as it was', async () => {
    const out = join(dir, 'out')
    const times = count / 2
    const copies = async () => (await readdir(join(out, 'files'))).filter((name) => !name.startsWith('.part')).length
    const half = { matches: /^GET .*x-id=GetObject/, times, isDue: async () => (await copies()) === times }
    await killedAt(half, 'export', '--app', platform.app, '--out', out, '--files')
    assert.equal(asked.filter((one) => half.matches.test(one)).length, count - times, 'copies are kept')
    assert.equal(await copies(), count)

    const path = join(out, 'export.ndjson')
    for (const [n, at] of [
      { matches: /^PUT /, times },
      { matches: /partNumber=2/, times: 0 },
    ].entries()) {
      const copy = await makeApp(platform.servers.mongoUrl, `copy ${n} of ${platform.app}`)
      await killedAt(at, 'import', path, '--app', copy.app)
      const admin = { 'im-api-key': copy.apiKey }
      for (const [n, id] of ids.entries()) {
        const { status, body } = await call(gatewayUrl, 'GET', `/files/${importedID(copy.app, id)}`, admin)
        assert.equal(status, 200, JSON.stringify(body))
        assert.partialDeepStrictEqual(body.result, { name: `${n}.bin`, owner: 'dave', status: 'uploaded' })
        const response = await fetch(String(body.result['url']))
        assert.ok(Buffer.from(await response.arrayBuffer()).equals(contentOf(n)), `${n}`)
      }
    }
  })
})
