import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { connectDb } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { newUserDoc } from '@parley/db/users/users'
import { parleyFile } from '@parley/stack/parley-command'
import { withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { logged } from '../log-line.ts'
import { eventually, type Platform, startPlatform } from '../platform.ts'

describe('a service on a database with an older schema', () => {
  let platform: Platform
  beforeAll(async () => {
    platform = await startPlatform()
  })
  afterAll(() => platform.stop())

  test('logs it and becomes ready only after `parley migrate`', async () => {
    const env = { ...process.env, PARLEY_MONGO_URL: withDatabase(platform.servers.mongoUrl, 'empty') }
    const services = await Promise.all(
      (['api-gateway', 'realtime', 'push', 'stats'] as const).map((service) =>
        platform.start(service, { PARLEY_MONGO_URL: env.PARLEY_MONGO_URL }),
      ),
    )
    const readiness = (service: (typeof services)[number]) =>
      fetch(`http://127.0.0.1:${service.ports['internal']}/readyz`)
    for (const service of services) {
      const answer = await readiness(service)
      const { failing } = (await answer.json()) as { failing: Record<string, string> }
      assert.equal(answer.status, 503)
      assert.match(failing['schema'] ?? '', /older schema, without 0001-baseline.*parley -- migrate/)
      await logged(service, /not ready until the database is migrated/)
    }

    const run = (...args: string[]) => promisify(execFile)(process.execPath, [parleyFile, ...args], { env })
    await assert.rejects(run('app', 'create', 'early'), /older schema/)
    await assert.rejects(run('migrate', '--dry-run'), { code: 2 })
    assert.match((await run('migrate')).stdout, /0001-baseline: done\n[^]*the schema is up to date/)
    assert.match((await run('migrate')).stdout, /nothing to do/)
    for (const service of services) {
      await eventually('ready', async () => (await readiness(service)).status === 200)
    }
    assert.match((await run('app', 'create', 'first')).stdout, /app first created/)
  })

  test('`parley migrate` reports the IDs . and .., which no URL can contain', async () => {
    const env = { ...process.env, PARLEY_MONGO_URL: platform.servers.mongoUrl }
    const { app } = platform
    const db = await connectDb(platform.servers.mongoUrl, { appName: 'test' })
    await db.users.insertOne(newUserDoc(app, '..', { nickname: 'x' }))
    await db.config.insertOne({ _id: key(app, '.'), app, name: '.', json: '1', version: '1' })
    await db.prefs.insertOne({ _id: key(app, 'ann', '.'), userKey: key(app, 'ann'), name: '.', json: '1' })
    await db.client.close()
    const { stdout } = await promisify(execFile)(process.execPath, [parleyFile, 'migrate'], { env })
    for (const what of ['user or user group ".."', 'configuration key "."', 'preference "."']) {
      assert.ok(stdout.includes(`app ${app}: the ${what} cannot be named in a URL`), stdout)
    }
  })
})
