import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connectDb, type Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { eventually } from '@parley/stack/eventually'
import { listenOnLoopback } from '@parley/stack/loopback'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

const root = join(import.meta.dirname, '../../../..')
const sample = join(root, 'test/operating/exports/mattermost.jsonl')
const first = (signal: string) => `parley: ${signal}: ending after the current step; a second signal ends at once\n`

describe('a command that a signal ends says what is left and how to go on:', () => {
  let gateway: TestGateway
  let dir: string
  let servers: Record<string, string>
  beforeAll(async () => {
    gateway = await startTestGateway()
    dir = await mkdtemp(join(tmpdir(), 'parley-interrupted-'))
    const { mongoUrl, natsUrl } = await testServers()
    const { databaseName } = gateway.chat.db.mongo
    servers = { PARLEY_MONGO_URL: withDatabase(mongoUrl, databaseName), PARLEY_NATS_URL: natsUrl }
  })
  afterAll(async () => {
    await gateway.stop()
    await rm(dir, { recursive: true, force: true })
  })

  /** @returns the process, and what it has printed as an error once it ended, with its code or its signal */
  function start(args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [parleyFile, ...args], { env: { ...commandEnv, ...env } })
    onTestFinished(() => void child.kill('SIGKILL'))
    child.stdout.resume()
    const ended = Promise.all([text(child.stderr), once(child, 'close')])
    return { child, ended: ended.then(([said, [code, signal]]) => ({ said, code: (code ?? signal) as unknown })) }
  }

  /** Sends a signal and, once it was noticed, a second one. */
  async function signalTwice(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    assert.ok(child.stderr)
    child.kill(signal)
    await once(child.stderr, 'data')
    child.kill(signal)
  }

  /** A conversion whose export does not end. */
  async function startConversion() {
    const [from, to] = [await mkdtemp(join(dir, 'from-')), await mkdtemp(join(dir, 'to-'))]
    const pipe = join(from, 'export.jsonl')
    execFileSync('mkfifo', [pipe])
    const conversion = start(['convert', 'mattermost', pipe, to])
    const source = createWriteStream(pipe)
    onTestFinished(() => void source.destroy())
    await eventually('the output has begun', async () => (await readdir(to)).length > 0)
    return { ...conversion, to, source }
  }

  test('convert removes its part of the output', async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const { child, ended, to, source } = await startConversion()
      assert.ok(child.stderr)
      child.kill(signal)
      await once(child.stderr, 'data')
      createReadStream(sample).pipe(source)
      const { said, code } = await ended
      assert.equal(said, `${first(signal)}parley: interrupted by ${signal}: nothing is left; run it again\n`)
      assert.equal(code, { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal])
      assert.deepEqual(await readdir(to), [])
    }
  })

  test('also from npm, or from a terminal, which signals npm and the command', async () => {
    for (const to of ['npm', 'all'] as const) {
      const [from, into] = [await mkdtemp(join(dir, 'from-')), await mkdtemp(join(dir, 'to-'))]
      const pipe = join(from, 'export.jsonl')
      execFileSync('mkfifo', [pipe])
      const args = ['run', '-s', 'parley', '--', 'convert', 'mattermost', pipe, into]
      const npm = spawn('npm', args, { cwd: root, env: { ...commandEnv, HOME: dir }, detached: true })
      const { pid } = npm
      assert.ok(pid)
      onTestFinished(() => void (npm.exitCode ?? npm.signalCode ?? process.kill(-pid, 'SIGKILL')))
      npm.stdout.resume()
      const said = text(npm.stderr)
      const source = createWriteStream(pipe)
      onTestFinished(() => void source.destroy())
      await eventually('the output has begun', async () => (await readdir(into)).length > 0)
      const noticed = once(npm.stderr, 'data')
      process.kill(to === 'npm' ? pid : -pid, 'SIGINT')
      await noticed
      createReadStream(sample).pipe(source)
      assert.equal(await said, `${first('SIGINT')}parley: interrupted by SIGINT: nothing is left; run it again\n`)
      assert.deepEqual(await readdir(into), [])
    }
  })

  test('a second signal names the part of the output that it leaves', async () => {
    const { child, ended, to } = await startConversion()
    await signalTwice(child, 'SIGINT')
    const part = join(to, 'import.ndjson.part')
    const left = `${part} is incomplete; run it again, which replaces it`
    assert.deepEqual(await ended, {
      said: `${first('SIGINT')}parley: interrupted by SIGINT: ${left}\n`,
      code: 'SIGINT',
    })
    assert.deepEqual(await readdir(to), ['import.ndjson.part'])
  })

  test('a second signal ends a backup whose bucket does not respond', async () => {
    const bucket = createServer()
    const port = await listenOnLoopback(bucket)
    onTestFinished(() => void bucket.close())
    const { child, ended } = start(['backup', 's3://bucket/nightly'], {
      ...servers,
      PARLEY_FILES_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      PARLEY_FILES_S3_PATH_STYLE: 'true',
      PARLEY_FILES_S3_ACCESS_KEY_ID: 'key',
      PARLEY_FILES_S3_SECRET_ACCESS_KEY: 'secret',
    })
    await once(bucket, 'connection')
    await signalTwice(child, 'SIGTERM')
    const { said, code } = await ended
    assert.match(said, /interrupted by SIGTERM: s3:\/\/bucket\/nightly\/\S+Z is incomplete: remove it, and run/)
    assert.equal(code, 'SIGTERM')
  })

  /** An empty database of its own. */
  async function emptyDb(): Promise<{ db: Db; env: Record<string, string> }> {
    const { mongoUrl } = await testServers()
    const env = { PARLEY_MONGO_URL: withDatabase(mongoUrl, `interrupted_${randomUUID().replaceAll('-', '')}`) }
    const db = await connectDb(env.PARLEY_MONGO_URL)
    onTestFinished(async () => {
      await db.mongo.dropDatabase()
      await db.client.close()
    })
    return { db, env }
  }

  test('migrate repeats only migrations that were not completed', async () => {
    const { env } = await emptyDb()
    const { child, ended } = start(['migrate'], env)
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    const again = 'run it again; completed migrations are not repeated'
    assert.deepEqual(await ended, { said: `parley: interrupted by SIGTERM: ${again}\n`, code: 'SIGTERM' })
    assert.deepEqual(await start(['migrate'], env).ended, { said: '', code: 0 })
  })

  /** A restore that has begun, and waits for `goOn` with one of the first collections. */
  async function startRestore() {
    const place = await mkdtemp(join(dir, 'backups-'))
    assert.equal((await start(['backup', place], servers).ended).code, 0)
    const [name = ''] = await readdir(place)
    const { db, env } = await emptyDb()
    const app = await gateway.chat.db.apps.findOne({})
    await db.mongo.createCollection('apps')
    const session = db.client.startSession()
    session.startTransaction()
    await db.mongo.collection('apps').insertOne({ _id: app?._id as never }, { session })
    const backup = join(place, name)
    const restoring = start(['restore', backup], env)
    await eventually('it has begun', async () => (await db.mongo.collection('restoring').countDocuments()) > 0)
    const goOn = async () => {
      await session.abortTransaction()
      await session.endSession()
    }
    const again = async () => {
      assert.deepEqual(await start(['restore', backup], env).ended, { said: '', code: 0 })
      assert.equal(await db.apps.countDocuments(), await gateway.chat.db.apps.countDocuments())
    }
    return { ...restoring, backup, goOn, again }
  }
  const leftByRestore = 'the database is incomplete: run it again, which starts over'

  test('restore starts over', async () => {
    const { child, ended, goOn, again } = await startRestore()
    child.kill('SIGINT')
    await once(child.stderr, 'data')
    await goOn()
    const said = `${first('SIGINT')}parley: interrupted by SIGINT: ${leftByRestore}\n`
    assert.deepEqual(await ended, { said, code: 130 })
    await again()
  })

  test('restore also says so after a failure, unless it has changed nothing', async () => {
    await gateway.newUser()
    const { ended, backup, goOn, again } = await startRestore()
    const file = join(backup, 'users-00001.bson.gz')
    await rename(file, `${file}-away`)
    await goOn()
    const said = `parley: users-00001.bson.gz is missing\nparley: ${leftByRestore}\n`
    assert.deepEqual(await ended, { said, code: 1 })
    await rename(`${file}-away`, file)
    await again()
    const refused = await start(['restore', backup], servers).ended
    assert.match(refused.said, /^parley: the database \w+ has documents in \w+: restore into an empty one\n$/)
  })

  test('migrate also says so after a failure, unless it has changed nothing', async () => {
    const { db, env } = await emptyDb()
    // Against the index that makes a seq unique.
    await db.mongo.collection('messages').insertMany([1, 2].map(() => ({ roomKey: 'room', seq: 1 })))
    const { said, code } = await start(['migrate'], env).ended
    assert.match(said, /^parley: .*\nparley: run it again; completed migrations are not repeated\n$/)
    assert.equal(code, 1)
  })

  test('rebuild-stream prints the time to resume from', async () => {
    const { publishedEvents } = gateway.chat.db
    const sinceMS = Date.now() - 3_600_000
    const published = Array.from({ length: 1_000 }, (_, n) => {
      const atMS = sinceMS + 2_000 * n
      return { _id: `rebuilt-${n}`, atMS, at: new Date(atMS), expiresAt: new Date(atMS + 86_400_000), events: [] }
    })
    await publishedEvents.insertMany(published)
    const { child, ended } = start(['rebuild-stream', '--since', new Date(sinceMS).toISOString()], servers)
    await once(child.stdout, 'data')
    child.kill('SIGTERM')
    const { said, code } = await ended
    const [, resume = ''] =
      /^parley: SIGTERM: .*\nparley: interrupted by SIGTERM: resume with (--since \S+)\n$/.exec(said) ?? []
    assert.equal(code, 143, said)
    const reached = resume.slice('--since '.length)
    assert.ok(Date.parse(reached) > sinceMS && Date.parse(reached) < sinceMS + 2_000_000, said)
    const resumed = start(['rebuild-stream', ...resume.split(' ')], servers)
    const output = text(resumed.child.stdout)
    assert.deepEqual(await resumed.ended, { said: '', code: 0 })
    assert.ok((await output).endsWith(` events since ${reached} are published again\n`))
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'badge repair keeps what it has repaired after %s, and repairs the rest when run again',
    async (signal) => {
      const { client, memberships } = gateway.chat.db
      const user = await gateway.newUser()
      const rooms = [await gateway.newRoom([user]), await gateway.newRoom([user])].toSorted()
      const [one = '', two = ''] = rooms.map((room) => key(gateway.app, room, user.id))
      const uncounted = async () =>
        (await memberships.find({ _id: { $in: [one, two] } }).toArray()).map((found) => found.uncounted)
      await memberships.updateMany({ _id: { $in: [one, two] } }, { $inc: { uncounted: -2 } })
      const session = client.startSession()
      session.startTransaction()
      // The repair of this count waits until the transaction ends.
      await memberships.updateOne({ _id: two }, { $set: { held: true } as never }, { session })
      const args = ['badge', 'repair', gateway.app, '--client', user.id]
      const { child, ended } = start(args, servers)
      await eventually('the first is repaired', async () => (await uncounted())[0] === 0)
      child.kill(signal)
      if (signal !== 'SIGKILL') await once(child.stderr, 'data')
      else await ended
      await session.abortTransaction()
      await session.endSession()
      const kept = `${first(signal)}parley: interrupted by ${signal}: counts that were repaired stay; run it again for the others\n`
      const code = { SIGINT: 130, SIGTERM: 143, SIGKILL: signal }[signal]
      assert.deepEqual(await ended, { said: signal === 'SIGKILL' ? '' : kept, code })
      assert.deepEqual(await start(args, servers).ended, { said: '', code: 0 })
      assert.deepEqual(await uncounted(), [0, 0])
    },
  )

  test('app delete goes on when it is run again', async () => {
    const { apps } = gateway.chat.db
    const { child, ended } = start(['app', 'delete', gateway.app, '--yes'], servers)
    await eventually(
      'it has begun',
      async () => (await apps.findOne({ _id: gateway.app }))?.deletingSince !== undefined,
    )
    child.kill('SIGINT')
    const { said, code } = await ended
    assert.match(said, /^parley: interrupted by SIGINT: run it again, which resumes; until then /)
    assert.equal(code, 'SIGINT')
  })
})
