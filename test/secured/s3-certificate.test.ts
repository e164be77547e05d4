import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { listenOnLoopback } from '@parley/stack/loopback'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { closeTogether } from '@parley/stack/tcp-proxy'
import { type S3Server, startS3 } from '@parley/stack/test-s3'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { logged } from '../log-line.ts'
import { call, type Platform, startPlatform } from '../platform.ts'
import { type Certificate, newAuthority } from './certificates.ts'

const bytes = Buffer.from('Hello')

describe('a store whose certificate is replaced', () => {
  let dir: string
  let s3: S3Server
  let platform: Platform
  let server: Server
  let env: Record<string, string>
  let certificates: Record<'good' | 'expired' | 'foreign', Certificate>
  const connections = new Set<TLSSocket>()

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'parley-s3-tls-'))
    s3 = await startS3(dir)
    const ours = await newAuthority(dir, 'ours')
    certificates = {
      good: await ours.issue('good'),
      expired: await ours.issue('expired', { isExpired: true }),
      foreign: await (await newAuthority(dir, 'foreign')).issue('replaced'),
    }
    server = createServer((client) => {
      connections.add(client)
      const store = connect(Number(new URL(s3.endpoint).port), '127.0.0.1')
      closeTogether(client, store)
      client.pipe(store).pipe(client)
    })
    present('good')
    env = {
      NODE_EXTRA_CA_CERTS: ours.ca,
      PARLEY_FILES_S3_BUCKET: s3.bucket,
      PARLEY_FILES_S3_ENDPOINT: `https://127.0.0.1:${await listenOnLoopback(server)}`,
      PARLEY_FILES_S3_PUBLIC_ENDPOINT: s3.endpoint,
      PARLEY_FILES_S3_PATH_STYLE: 'true',
      PARLEY_FILES_S3_ACCESS_KEY_ID: s3.accessKeyId,
      PARLEY_FILES_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    }
    platform = await startPlatform()
  })
  afterAll(async () => {
    await platform.stop()
    for (const connection of connections) connection.destroy()
    server.close()
    await s3.stop()
    rmSync(dir, { recursive: true })
  })

  /** New connections get this certificate, and there are no others. */
  function present(name: keyof typeof certificates): void {
    const { cert, key } = certificates[name]
    server.setSecureContext({ cert: readFileSync(cert), key: readFileSync(key) })
    for (const connection of connections) connection.destroy()
    connections.clear()
  }

  test('refuses uploads with the cause in the log, and takes them again without a restart', async () => {
    const gateway = await platform.start('api-gateway', env)
    const { token } = await platform.newUser('alice')
    const headers = { 'im-client-key': platform.clientKey, 'im-authorization': token }
    const file = { name: 'hello.txt', type: 'text/plain', size: bytes.length }
    const announced = await call(gateway.url, 'POST', '/files', headers, file)
    const { fileID, upload } = announced.body.result as {
      fileID: string
      upload: { url: string; headers: Record<string, string> }
    }
    assert.ok((await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: bytes })).ok)
    const confirm = async () => (await call(gateway.url, 'POST', `/files/${fileID}/uploaded`, headers)).status
    for (const [name, cause] of [
      ['expired', /certificate has expired/],
      ['foreign', /unable to verify the first certificate/],
    ] as const) {
      present(name)
      assert.equal(await confirm(), 503)
      await logged(gateway, cause)
    }
    present('good')
    assert.equal(await confirm(), 200)
    const room = await platform.newRoom(['alice'])
    const more = { messageType: 'file', attachments: [{ fileID }] }
    await platform.admin('POST', '/messages', { room, sender: 'alice', message: 'a file', ...more })
    await gateway.stop()
  })

  async function run(...args: string[]): Promise<string> {
    const PARLEY_MONGO_URL = platform.servers.mongoUrl
    return (
      await promisify(execFile)(process.execPath, [parleyFile, ...args], {
        env: { ...commandEnv, ...env, PARLEY_MONGO_URL },
      })
    ).stdout
  }

  test('ends an export with one sentence and without a file, and the next one is whole', async () => {
    const out = join(dir, 'export')
    const exportIt = () => run('export', '--app', platform.app, '--files', '--out', out)
    for (const [name, sentence] of [
      ['expired', /^parley: files: certificate has expired \(PARLEY_FILES_S3_BUCKET\)\n$/],
      ['foreign', /^parley: files: unable to verify the first certificate \(PARLEY_FILES_S3_BUCKET\)\n$/],
    ] as const) {
      present(name)
      await assert.rejects(exportIt(), { code: 1, stderr: sentence })
      assert.equal(existsSync(out), false)
    }
    present('good')
    assert.match(await exportIt(), /export\.ndjson: \d+ lines, 1 files with 5 bytes/)
  })

  test('ends a backup with one sentence, and the next one is whole', async () => {
    const backUp = () => run('backup', `s3://${s3.bucket}/nightly`)
    for (const [name, sentence] of [
      ['expired', /^parley: S3: certificate has expired \(PARLEY_FILES_S3_/],
      ['foreign', /^parley: S3: unable to verify the first certificate \(PARLEY_FILES_S3_/],
    ] as const) {
      present(name)
      await assert.rejects(backUp(), { code: 1, stderr: sentence })
    }
    present('good')
    const [backup = ''] = /^\S+Z(?=:)/.exec(await backUp()) ?? []
    present('expired')
    await assert.rejects(run('restore', '--check', backup), {
      code: 1,
      stderr: /^parley: S3: certificate has expired /,
    })
    present('good')
    assert.match(await run('restore', '--check', backup), /The backup is whole/)
  })
})
