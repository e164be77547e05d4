import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { collections } from '@parley/db/collections'
import { connectDb, type Db } from '@parley/db/connect'
import { dropDatabase, takeDatabase } from '@parley/db/test-database'
import { makeApp } from '@parley/local/make-app'
import { listenOnLoopback } from '@parley/stack/loopback'
import { commandEnv, parleyFile } from '@parley/stack/parley-command'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { begin, type Line, member, message, user } from '../operating/imports.ts'

const app = 'of the import'
const kills = 6
const hour = 3_600_000
const names = ['ada', 'bea', 'cyn', 'dot']
const rooms = ['one', 'two', 'three']
const each = 400

/** Lines of every type. */
function everyType(): Line[] {
  const of = (n: number) => ({ user: names[n % 4], room: rooms[n % 3], message: `m${n + 1}` })
  const some = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
  const createdAt = begin
  return [
    ...names.map((name) => user(name, { createdAt })),
    user('eve', { erased: true }),
    { type: 'group', _id: 'crew', nickname: 'Crew', members: ['ada', 'bea'] },
    ...some(12, (n) => ({ type: 'file', _id: `f${n}`, owner: 'ada', name: 'a.bin', size: 20_000 + n, createdAt })),
    ...rooms.map((_id) => ({ type: 'room', _id, roomType: 'group', owner: 'ada', createdAt })),
    { type: 'room', _id: 'pair', roomType: 'direct', members: ['ada', 'bea'], createdAt },
    ...rooms.flatMap((room) =>
      names.slice(0, 3).map((name, n) => member(room, name, { lastReadSeq: 30 * n, joinedAt: begin })),
    ),
    ...['ada', 'bea'].map((name) => member('pair', name, { joinedAt: begin })),
    ...some(each, (n) => n + 1).flatMap((n) =>
      rooms.flatMap((room) => [
        message(
          room,
          n,
          n % 2 ? 'ada' : 'bea',
          n % 40 === 7 ? { attachments: [{ fileID: `f${n % 12}` }], sender: 'ada' } : {},
        ),
        ...(n % 10 === 0
          ? [
              message(room, n, 'cyn', {
                _id: `t${n}`,
                threadOf: `m${n % 50 === 0 ? 10 : n}`,
                createdAt: begin + n * 1000,
              }),
            ]
          : []),
      ]),
    ),
    ...some(60, (n) => ({ type: 'deletion', ...of(n) })),
    { type: 'deletion', room: 'two', user: 'cyn', upToSeq: 200 },
    ...rooms.map((room) => ({ type: 'thread', room, threadOf: 'm10', user: 'bea', lastReadSeq: 1, joinedAt: begin })),
    { type: 'ban', room: 'one', blockee: 'dot', createdAt },
    { type: 'ban', blockee: 'dot', untilMS: Date.now() + 1_000 * hour, createdAt },
    ...rooms.map((room) => ({ type: 'invitation', room, invitee: 'dot', inviter: 'ada', createdAt })),
    { type: 'block', blocker: 'bea', blockee: 'cyn', createdAt },
    ...names.map((name) => ({ type: 'device', user: name, deviceId: 'phone', network: 'fcm', token: `of ${name}` })),
    ...some(30, (n) => ({ type: 'pref', user: names[n % 4], key: `p${n}`, data: { n } })),
    ...some(40, (n) => ({ type: 'bookmark', ...of(n), createdAt })),
    ...some(20, (n) => ({ type: 'reminder', ...of(n), remindAt: Date.now() + (n + 1) * hour, createdAt })),
    ...some(20, (n) => ({
      ...{ type: 'scheduled', _id: `s${n}`, room: 'one', sender: 'ada', message: `later ${n}`, messageType: 'text' },
      ...{ sendAt: Date.now() + (n + 1) * hour, createdAt, ...(n === 3 && { attachments: [{ fileID: 'f3' }] }) },
    })),
    ...some(20, (n) => ({
      ...{
        type: 'report',
        _id: `${n + 10}`.repeat(12),
        room: 'one',
        message: `m${n}`,
        sender: 'ada',
        messageType: 'text',
      },
      ...{ messageTime: begin, content: { n }, reporters: [{ client: 'bea', reason: 'rude', at: Date.now() - hour }] },
      ...{ count: 1, createdAt, updatedAt: Date.now() - hour },
    })),
    ...some(10, (n) => ({ type: 'hold', _id: `${n + 10}`.repeat(12), room: 'one', reason: `Case ${n}`, createdAt })),
    { type: 'config', key: 'announcement', data: { text: 'hello' } },
  ]
}

/** Differ between any two imports: secrets, versions, names in the store, times of writing. */
const volatile = new Set([
  'version',
  'mark',
  'revision',
  'takes',
  'secret',
  'stored',
  'deletedAtMS',
  'checkAtMS',
  'heldUntilMS',
  'updatedAt',
  'atMS',
])
/** Have entries of each run, or its time. */
const ofRuns = new Set(['apps', 'audit', 'auditSeals', 'auditUnsealed', 'importedLines', 'tokens'])

describe('parley import of lines of every type', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-random-kill-'))
  const databases: string[] = []
  const servers: Server[] = []
  beforeAll(() => {
    mkdirSync(join(folder, 'files'))
    for (let n = 0; n < 12; n++) writeFileSync(join(folder, 'files', `f${n}-a.bin`), Buffer.alloc(20_000 + n, `${n}`))
    writeFileSync(
      join(folder, 'import.ndjson'),
      everyType()
        .map((line) => JSON.stringify(line))
        .join('\n'),
    )
  })
  afterAll(async () => {
    for (const server of servers) server.close()
    for (const database of databases) await dropDatabase(database)
    rmSync(folder, { recursive: true })
  })

  /** An empty database with the app, behind a proxy that counts what the import sends. */
  async function emptyApp(store: string) {
    const { mongoUrl } = await testServers()
    const database = await takeDatabase()
    databases.push(database)
    const url = new URL(withDatabase(mongoUrl, database))
    await makeApp(url.href, app)
    const sent = { count: 0, max: Infinity, onMost: () => undefined as unknown }
    const proxy = createServer((client) => {
      const server = connect(Number(url.port), url.hostname)
      client.on('data', (chunk) => {
        if (++sent.count > sent.max) sent.onMost()
        else server.write(chunk)
      })
      server.pipe(client)
      for (const [one, other] of [
        [client, server],
        [server, client],
      ] as const) {
        one.on('error', () => other.destroy()).on('close', () => other.destroy())
      }
    })
    servers.push(proxy)
    const proxied = new URL(url)
    proxied.port = String(await listenOnLoopback(proxy))
    proxied.searchParams.set('directConnection', 'true')
    const env = { ...commandEnv, PARLEY_MONGO_URL: proxied.href, PARLEY_FILES_FOLDER: join(folder, store) }
    /** @param max kills the import after so many packets to MongoDB */
    const run = async (max = Infinity) => {
      const args = ['import', join(folder, 'import.ndjson'), '--app', app]
      const child = spawn(process.execPath, [parleyFile, ...args], { env })
      Object.assign(sent, { count: 0, max, onMost: () => child.kill('SIGKILL') })
      let text = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()))
      const [code] = await once(child, 'close')
      return { code: code as number | null, text, sent: sent.count }
    }
    return { url: url.href, run }
  }

  /** Everything in the database, and the files in the store. */
  async function contents(url: string, store: string) {
    const db: Db = await connectDb(url)
    try {
      const found: Record<string, unknown[]> = {}
      for (const name of Object.keys(collections)) {
        if (ofRuns.has(name)) continue
        const documents = await db.mongo.collection(name).find().sort({ _id: 1 }).toArray()
        found[name] = documents.map((document) => comparable(document))
      }
      const files = (await db.files.find({ app }).sort({ _id: 1 }).toArray()).map(({ id, stored = '' }) =>
        readFileSync(join(folder, store, id.slice(-2), id, stored), 'latin1'),
      )
      const entries = readdirSync(join(folder, store), { recursive: true, withFileTypes: true })
      return { ...found, contents: files, inStore: entries.filter((entry) => entry.isFile()).length }
    } finally {
      await db.client.close()
    }
  }

  test('killed with kill -9 at random points and repeated, leaves what an import without kills leaves', async () => {
    const [whole, killed] = [await emptyApp('whole'), await emptyApp('killed')]
    const first = await whole.run()
    assert.equal(first.code, 0, first.text)
    assert.match(first.text, /Verified/)
    const points = Array.from({ length: kills }, () => 1 + Math.floor(Math.random() * first.sent)).toSorted(
      (a, b) => a - b,
    )
    for (const point of points) {
      await killed.run(point)
      const db = await connectDb(killed.url)
      // Otherwise each import waits for the lease of the killed one.
      await db.apps.updateOne({ _id: app }, { $unset: { importing: 1 } })
      await db.client.close()
    }
    const last = await killed.run()
    assert.equal(last.code, 0, `${points.join(', ')}: ${last.text}`)
    const [wanted, found] = [await contents(whole.url, 'whole'), await contents(killed.url, 'killed')]
    for (const [name, of] of Object.entries(wanted)) {
      assert.deepEqual((found as Record<string, unknown>)[name], of, `${name} after kills at ${points.join(', ')}`)
    }
  })
})

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null || value.constructor !== Object) return value
  const entries = Object.entries(value).filter(
    ([name]) => !volatile.has(name) && !(name === 'createdAt' && 'groupMembers' in value),
  )
  return Object.fromEntries(entries.map(([name, one]) => [name, comparable(one)]))
}
