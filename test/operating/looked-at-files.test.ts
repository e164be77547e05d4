import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { listenOnLoopback } from '@parley/stack/loopback'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, startPlatform } from '../platform.ts'

/** A PNG of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('the stats service processes files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-files-'))
  const asked: { appID: string; name: string; bytes: Buffer; url: string }[] = []
  const scanner = createServer((request, response) => {
    void (async () => {
      const { appID, name, url } = (await json(request)) as { appID: string; name: string; url: string }
      asked.push({ appID, name, url, bytes: Buffer.from(await (await fetch(url)).arrayBuffer()) })
      response.end(JSON.stringify({ clean: true }))
    })()
  })
  let platform: Platform
  let alice: PlatformUser
  let scanPort = 0
  beforeAll(async () => {
    scanPort = await listenOnLoopback(scanner)
    platform = await startPlatform()
  })
  afterAll(async () => {
    await platform.stop()
    scanner.close()
    rmSync(folder, { recursive: true })
  })

  test('scans them at URLs of the gateways and makes thumbnails; it does not start without PARLEY_FILES_URL', async () => {
    const scanUrl = `http://127.0.0.1:${scanPort}`
    const env = { PARLEY_FILES_FOLDER: folder, PARLEY_FILES_SCAN_URL: scanUrl }
    const gateway = await platform.start('api-gateway', env)
    alice = await platform.newUser('alice')
    const { fileID, upload } = (await alice.call('POST', '/files', {
      name: 'a.png',
      type: 'image/png',
      size: png.length,
    })) as {
      fileID: string
      upload: { url: string; headers: Record<string, string> }
    }
    assert.equal((await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: png })).status, 200)
    assert.equal((await alice.call('GET', `/files/${fileID}`))['status'], 'checking')
    await assert.rejects(platform.start('stats', env), /PARLEY_FILES_URL/)
    await platform.start('stats', { ...env, PARLEY_FILES_URL: gateway.url })
    const file = () => alice.call('GET', `/files/${fileID}`)
    await eventually('a thumbnail', async () => (await file())['thumbnail'] !== undefined)
    assert.equal((await file())['status'], 'uploaded')
    assert.deepEqual(
      asked.map(({ appID, name, bytes, url }) => [appID, name, bytes.equals(png), new URL(url).origin]),
      [[platform.app, 'a.png', true, gateway.url]],
    )
  })
})
