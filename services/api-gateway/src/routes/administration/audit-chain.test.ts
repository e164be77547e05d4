import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { clock } from '@parley/async/clock'
import { sealAuditEntries, sealNext } from '@parley/chat/audit/seal-entries'
import { verifyAudit } from '@parley/chat/audit/verify-audit'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { inTransaction } from '@parley/db/transactions/transaction'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

describe('the chain of the audit log', () => {
  let gateway: TestGateway
  beforeAll(async () => {
    gateway = await startTestGateway()
  })
  afterAll(() => gateway.stop())

  async function changeAndSeal(i: number): Promise<void> {
    await gateway.admin('POST', '/config', { i })
    await sealNext(gateway.chat, gateway.app)
  }

  test('verification passes while changes are made and sealed', async () => {
    const done = new AbortController()
    const changing = (async () => {
      for (let i = 0; !done.signal.aborted; i++) await changeAndSeal(i)
    })()
    try {
      for (let times = 0; times < 10; times++) {
        assert.deepEqual((await verifyAudit(gateway.chat.db, gateway.app)).faults, [])
      }
    } finally {
      done.abort()
      await changing
    }
  })

  test('verification finds changed, removed and inserted entries, and changed or removed links', async () => {
    const { db } = gateway.chat
    const { app } = gateway
    for (let i = 0; i < 3; i++) await changeAndSeal(100 + i)
    const faults = async (expected?: string) => (await verifyAudit(db, app, expected)).faults.join('; ')
    const { head } = await verifyAudit(db, app)
    const [entry] = await db.audit.find({ app }).sort({ _id: -1 }).limit(1).toArray()
    const links = await db.auditSeals.find({ app }).sort({ _id: -1 }).limit(2).toArray()
    const [last, link] = links
    assert.ok(entry && link && last)
    await db.audit.updateOne({ _id: entry._id }, { $set: { actor: 'key:another' } })
    assert.match(await faults(), /entry \w+ was changed/)
    await db.audit.deleteOne({ _id: entry._id })
    assert.match(await faults(), /entry \w+ is missing/)
    await db.audit.insertMany([entry, { ...entry, _id: `${entry._id}x`, id: `${entry.id}x` }])
    assert.match(await faults(), /1 entries are in no link/)
    await db.audit.deleteOne({ _id: `${entry._id}x` })
    assert.equal(await faults(), '')
    await db.auditSeals.updateOne({ _id: link._id }, { $set: { sealedAtMS: 1 } })
    assert.match(await faults(), /link \d+ of [\d-]+ was changed/)
    await db.auditSeals.replaceOne({ _id: link._id }, link)
    await db.auditSeals.deleteOne({ _id: link._id })
    assert.match(await faults(), /links are missing/)
    await db.auditSeals.insertOne(link)
    await db.auditSeals.deleteOne({ _id: last._id })
    assert.match(await faults(head), new RegExp(`no link has the hash ${head}`))
    await db.auditSeals.insertOne(last)
    assert.equal(await faults(head), '')
  })

  test('verification finds that the oldest links were removed before they expired', async () => {
    const { db } = gateway.chat
    const { app } = gateway
    for (let i = 0; i < 3; i++) await changeAndSeal(200 + i)
    const faults = async () => (await verifyAudit(db, app)).faults.join('; ')
    const [first] = await db.auditSeals.find({ app }).sort({ _id: 1 }).limit(1).toArray()
    assert.ok(first)
    const its = await db.audit.find({ app, id: { $in: first.entries.map(({ id }) => id) } }).toArray()
    await db.auditSeals.deleteOne({ _id: first._id })
    await db.audit.deleteMany({ _id: { $in: its.map(({ _id }) => _id) } })
    assert.match(await faults(), /^link 2 of [\d-]+ is the oldest: links before it are missing$/)
    const later = vi.spyOn(clock, 'now').mockReturnValue(first.expiresAt.getTime())
    assert.equal(await faults(), '')
    later.mockRestore()
    await db.auditSeals.insertOne(first)
    await db.audit.insertMany(its)
    assert.equal(await faults(), '')
  })

  test('the chain goes on across midnight, with a gateway whose clock is behind, and with two at the same millisecond', async () => {
    const app = `midnight ${randomUUID()}`
    const other = await gateway.another()
    onTestFinished(() => other.stop())
    const midnightMS = Date.UTC(2999, 0, 2)
    const change = async (atMS: number) => {
      const id = newId()
      const by = { actor: 'key:a', address: '127.0.0.1', action: 'createUser', subject: 'user:u' }
      const entry = { _id: key(app, id), id, app, atMS, expiresAt: new Date(atMS + 60_000), ...by }
      await inTransaction(gateway.chat.db, (session) => insertAuditEntries(gateway.chat.db, [entry], session))
    }
    for (const clockMS of [midnightMS - 1, midnightMS, midnightMS - 2, midnightMS, midnightMS + 1]) {
      const set = vi.spyOn(clock, 'now').mockReturnValue(clockMS)
      await Promise.all([change(clockMS), change(clockMS)])
      await Promise.all([sealNext(gateway.chat, app), sealNext(other.chat, app)])
      set.mockRestore()
    }
    const { db } = gateway.chat
    const links = await db.auditSeals.find({ app }).sort({ seq: 1 }).toArray()
    assert.deepEqual(
      links.flatMap(({ day, entries }) => entries.map(() => day)),
      ['2999-01-01', '2999-01-01', ...Array.from({ length: 8 }, () => '2999-01-02')],
    )
    const { entries, unsealed, faults } = await verifyAudit(db, app)
    assert.deepEqual([entries, unsealed, faults], [10, 0, []])
  })

  test('entries and links expire after the configured days, and verification accepts that', async () => {
    const { db } = gateway.chat
    const [entry] = await db.audit.find({ app: gateway.app }).sort({ _id: 1 }).limit(1).toArray()
    assert.ok(entry)
    assert.equal(Math.round((entry.expiresAt.getTime() - entry.atMS) / 86_400_000), 400)
    const ttl = (await db.audit.indexes()).find(({ expireAfterSeconds }) => expireAfterSeconds === 0)
    assert.deepEqual(ttl?.key, { expiresAt: 1 })
  })

  test('an app with many entries does not delay the links of others', async () => {
    const { db } = gateway.chat
    const [busy, quiet] = [`a ${randomUUID()}`, `b ${randomUUID()}`]
    const entry = (app: string, i: number) => {
      const id = String(i).padStart(4, '0')
      const by = { actor: 'key:a', address: '127.0.0.1', action: 'createUser', subject: 'user:u' }
      return { _id: key(app, id), id, app, atMS: clock.now(), expiresAt: new Date(clock.now() + 60_000), ...by }
    }
    const entries = [...Array.from({ length: 450 }, (_, i) => entry(busy, i)), entry(quiet, 0)]
    await inTransaction(db, (session) => insertAuditEntries(db, entries, session))
    let nowMS = clock.now()
    const ticking = vi.spyOn(clock, 'now').mockImplementation(() => nowMS++)
    await sealAuditEntries(gateway.chat).work(new AbortController().signal)
    ticking.mockRestore()
    const links = await db.auditSeals
      .find({ app: { $in: [busy, quiet] } })
      .sort({ sealedAtMS: 1 })
      .toArray()
    assert.deepEqual(
      links.map((link) => [link.app, link.entries.length]),
      [
        [busy, 200],
        [quiet, 1],
        [busy, 200],
        [busy, 50],
      ],
    )
    assert.equal(await db.auditUnsealed.countDocuments(), 0)
  })
})
