import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Platform, startPlatform } from '../platform.ts'

const root = join(import.meta.dirname, '../..')
const services = ['api-gateway', 'realtime', 'push', 'stats']

interface Report {
  ready?: { ports: Record<string, number> }
  failed?: string
}

describe('npm run build:services', () => {
  let platform: Platform
  /** test/run/build.ts made this build, except in a run that measures coverage. */
  let folder = process.env['PARLEY_TEST_BUILD'] ?? ''
  beforeAll(async () => {
    platform = await startPlatform()
    if (folder !== '') return
    folder = mkdtempSync(join(root, '.parley/built-'))
    execFileSync(process.execPath, ['deploy/build-services.ts', relative(root, folder)], { cwd: root })
  })
  afterAll(async () => {
    await platform.stop()
    if (process.env['PARLEY_TEST_BUILD'] === undefined) rmSync(folder, { recursive: true, force: true })
  })

  test('builds services and a command that start, without warnings of experimental features', async () => {
    const { mongoUrl, natsUrl, redisUrl } = platform.servers
    const env = {
      PATH: process.env['PATH'],
      PARLEY_MONGO_URL: mongoUrl,
      PARLEY_NATS_URL: natsUrl,
      PARLEY_REDIS_URL: redisUrl,
      PARLEY_INTERNAL_PORT: '0',
      PARLEY_GATEWAY_PORT: '0',
      PARLEY_REALTIME_PORT: '0',
    }
    const started = services.map(async (service) => {
      const child = spawn(process.execPath, ['--enable-source-maps', join(folder, `${service}.js`)], {
        env,
        stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      })
      let warnings = ''
      child.stderr?.on('data', (data) => {
        warnings += data
      })
      const [{ ready, failed }] = (await once(child, 'message')) as [Report]
      assert.ok(ready, `${service}: ${failed}`)
      // Written by a worker of the build.
      if (service === 'api-gateway') {
        const document = await fetch(`http://127.0.0.1:${ready.ports['http']}/openapi.json`)
        assert.equal(document.status, 200)
      }
      child.kill('SIGTERM')
      assert.deepEqual(await once(child, 'exit'), [0, null], service)
      assert.equal(warnings, '', service)
    })
    await Promise.all(started)
    const help = execFileSync(process.execPath, [join(folder, 'parley.js'), '--help'], { env, encoding: 'utf8' })
    assert.match(help, /migrate/)
  })

  test('writes a source map for every file', () => {
    const map = JSON.parse(readFileSync(join(folder, 'parley.js.map'), 'utf8')) as { sources: string[] }
    assert.ok(map.sources.some((source) => source.endsWith('services/api-gateway/src/parley.ts')))
  })
})
