import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { importAlone } from '@parley/chat/import/import-file'
import { connectDb } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { parleyFile } from '@parley/stack/parley-command'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'
import { parleyCommand } from './parley-command.ts'

const run = promisify(execFile)
const docs = join(import.meta.dirname, '../../../../docs/reference/audit.md')

/** Commands that change an app, a part of the installation or its database, or give all of an app away. */
const recorded = [
  ...['app create', 'app delete', 'app rotate-webhook-secret', 'badge repair', 'export', 'import', 'key add'],
  ...['key revoke', 'migrate', 'operator add', 'operator remove', 'operator reset', 'rebuild-stream', 'restore'],
]
const others = ['app list', 'audit verify', 'backup', 'convert', 'key list', 'operator list', 'shard', 'size']

describe('commands in the audit log', () => {
  let gateway: TestGateway
  let dir: string
  let mongoUrl: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    dir = await mkdtemp(join(tmpdir(), 'parley-recorded-'))
    mongoUrl = (await testServers()).mongoUrl
  })
  afterAll(async () => {
    await gateway.stop()
    await rm(dir, { recursive: true, force: true })
  })

  function command(args: string[], database = gateway.chat.db.mongo.databaseName) {
    const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] }
    return run(process.execPath, [parleyFile, ...args], {
      env: { ...env, PARLEY_MONGO_URL: withDatabase(mongoUrl, database) },
    })
  }
  const entriesOf = (action: string) => gateway.chat.db.audit.countDocuments({ app: gateway.app, action })

  /** The `after` of the entries, the oldest first. */
  const outcomesOf = async (action: string) => {
    const found = await gateway.chat.db.audit.find({ app: gateway.app, action }).sort({ atMS: 1, id: 1 }).toArray()
    return found.map(({ after = '{}' }) => JSON.parse(after) as Record<string, unknown>)
  }

  test('every command either changes nothing or is recorded as documented', async () => {
    const leaves = (of: Command, path: string[]): string[] =>
      of.commands.length === 0 ? [path.join(' ')] : of.commands.flatMap((one) => leaves(one, [...path, one.name()]))
    assert.deepEqual(leaves(parleyCommand(), []).toSorted(), [...recorded, ...others].toSorted())
    const page = await readFile(docs, 'utf8')
    for (const name of recorded) assert.ok(page.includes(`\`${name}\``), name)
  })

  test('migrate records one entry per migration that ran, and none if nothing was pending', async () => {
    const database = `migrated_${randomUUID().replaceAll('-', '')}`
    const db = await connectDb(withDatabase(mongoUrl, database))
    onTestFinished(async () => {
      await db.mongo.dropDatabase({ writeConcern: { w: 1 } })
      await db.client.close()
    })
    const recordedIn = async () =>
      (await db.audit.find({ app: '*', action: 'migrate' }).sort({ after: 1 }).toArray()).map(({ after }) => after)
    await command(['migrate', '--dry-run'], database).catch(() => undefined)
    assert.deepEqual(await recordedIn(), [])
    await command(['migrate'], database)
    const ran = await db.mongo.collection('migrations').find().sort({ _id: 1 }).toArray()
    const expected = ran.map(({ _id: migration }) => JSON.stringify({ migration }))
    assert.ok(expected.length > 0)
    assert.deepEqual(await recordedIn(), expected)
    await command(['migrate'], database)
    assert.deepEqual(await recordedIn(), expected)
  })

  test('an import records its start and its outcome, and nothing if it cannot start', async () => {
    const file = join(dir, 'import.ndjson')
    await writeFile(file, `${JSON.stringify({ type: 'user', _id: 'imported', nickname: 'Ida' })}\n`)
    await importAlone(gateway.chat.db, gateway.app, async () => {
      await assert.rejects(command(['import', file, '--app', gateway.app]), /another import into the app is running/)
      await assert.rejects(
        command(['import', '--abort', '--app', gateway.app]),
        /another import into the app is running/,
      )
    })
    assert.equal(await entriesOf('import'), 0)
    await command(['import', file, '--app', gateway.app])
    assert.equal(await entriesOf('import'), 2)
    assert.partialDeepStrictEqual(await outcomesOf('import'), [
      { user: 1, refused: 0, outcome: 'begun' },
      { user: 1, refused: 0, written: 1, wrong: 0, outcome: 'done' },
    ])
    await command(['import', '--abort', '--app', gateway.app])
    assert.deepEqual((await outcomesOf('import')).slice(2), [
      { abort: true, outcome: 'begun' },
      { abort: true, rooms: 0, outcome: 'done' },
    ])
  })

  test('a repair of badges records its outcome, also if it fails; a dry run records nothing', async () => {
    const { chat, app } = gateway
    const [alice, bob] = [await gateway.newUser(), await gateway.newUser()]
    const room = await gateway.newRoom([alice, bob])
    const wrong = () => chat.db.memberships.updateOne({ _id: key(app, room, bob.id) }, { $inc: { uncounted: -3 } })
    await wrong()
    await command(['badge', 'repair', app, '--client', bob.id, '--dry-run'])
    assert.equal(await entriesOf('badge repair'), 0)
    await command(['badge', 'repair', app, '--client', bob.id])
    const begun = { client: bob.id, outcome: 'begun' }
    const repaired = { client: bob.id, verified: 1, repaired: 1, outcome: 'done' }
    assert.deepEqual(await outcomesOf('badge repair'), [begun, repaired])
    await wrong()
    await chat.db.mongo.command({ collMod: 'memberships', validator: { _id: '' } })
    try {
      await assert.rejects(command(['badge', 'repair', app, '--client', bob.id]), /failed validation/)
    } finally {
      await chat.db.mongo.command({ collMod: 'memberships', validator: {} })
    }
    const failed = { client: bob.id, verified: 0, repaired: 0, outcome: 'failed' }
    assert.deepEqual((await outcomesOf('badge repair')).slice(2), [begun, failed])
  })

  test('an export records its start and its outcome for a new file, and nothing if the file exists', async () => {
    const file = join(dir, 'export.ndjson')
    await writeFile(file, 'the only copy')
    await assert.rejects(command(['export', '--app', gateway.app, '--out', file]), /EEXIST/)
    assert.equal(await readFile(file, 'utf8'), 'the only copy')
    assert.equal(await entriesOf('export'), 0)
    await command(['export', '--app', gateway.app, '--out', join(dir, 'new.ndjson')])
    const lines = (await readFile(join(dir, 'new.ndjson'), 'utf8')).split('\n').length - 1
    assert.deepEqual(await outcomesOf('export'), [{ outcome: 'begun' }, { lines, outcome: 'done' }])
  })

  test('an export that could not be recorded leaves no file, so it can be repeated', async () => {
    const out = join(dir, 'again.ndjson')
    const { mongo } = gateway.chat.db
    await mongo.command({ collMod: 'audit', validator: { action: { $ne: 'export' } } })
    try {
      await assert.rejects(command(['export', '--app', gateway.app, '--out', out]), /failed validation/)
    } finally {
      await mongo.command({ collMod: 'audit', validator: {} })
    }
    await command(['export', '--app', gateway.app, '--out', out])
    assert.match(await readFile(out, 'utf8'), /"type"/)
  })
})
