import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

describe('SIGTERM shuts a gateway down gracefully', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-stop-'))
  let platform: Platform
  let gateway: RunningService
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(async () => {
    await platform.stop()
    rmSync(folder, { recursive: true })
  })

  async function stopsInOrder(): Promise<void> {
    await gateway.stop()
    const lines = readFileSync(gateway.logFile, 'utf8').trim().split('\n')
    assert.match(lines.at(-1) ?? '', /"msg":"stopped"/, lines.slice(-3).join('\n'))
  }

  test('with an idle connection that never sent a request', async () => {
    gateway = await platform.start('api-gateway')
    const { hostname, port } = new URL(gateway.url)
    const silent = connect(Number(port), hostname)
    onTestFinished(() => void silent.destroy())
    const ended = new Promise((resolve) => silent.once('error', resolve).once('close', resolve))
    await once(silent, 'connect')
    await stopsInOrder()
    await ended
  })

  test('with an upload that takes longer than PARLEY_DRAIN_MS, which is aborted', async () => {
    gateway = await platform.start('api-gateway', { PARLEY_FILES_FOLDER: folder })
    const alice = await platform.newUser()
    const { upload } = await alice.call('POST', '/files', { name: 'film.bin', size: 1_000 })
    const put = request((upload as { url: string }).url, { method: 'PUT', headers: { 'content-length': 1_000 } })
    const cutOff = once(put, 'error')
    put.write('x')
    const timer = setInterval(() => put.write('x'), 1_000)
    onTestFinished(() => clearInterval(timer))
    const hasBegun = () => readdirSync(folder, { recursive: true }).length > 0
    await eventually('the upload has begun', hasBegun)
    await stopsInOrder()
    await cutOff
  })
})
