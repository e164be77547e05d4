import { clock } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { Filter, IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { findTimePage, type TimePage } from '../find-page.ts'
import { idsOf, key, keyRange } from '../keys.ts'
import { inSnapshot } from '../transactions/snapshot.ts'
import type { AuditDoc, AuditSealDoc, UnsealedDoc } from './documents.ts'

const latestFirst = { atMS: -1, _id: -1 } as const
const expiry: IndexDescription = { key: { expiresAt: 1 }, expireAfterSeconds: 0 }

export const auditIndexes: IndexDescription[] = [
  { key: { app: 1, ...latestFirst } },
  { key: { app: 1, actor: 1, ...latestFirst } },
  { key: { app: 1, subject: 1, ...latestFirst } },
  { key: { app: 1, action: 1, ...latestFirst } },
  expiry,
]
export const auditSealIndexes: IndexDescription[] = [expiry]

/** Adds entries in the transaction of their changes. The only writer of `audit`. */
export async function insertAuditEntries(db: Db, entries: readonly AuditDoc[], session: Session): Promise<void> {
  if (entries.length === 0) return
  await db.audit.insertMany([...entries], { session })
  await db.auditUnsealed.insertMany(
    entries.map(({ _id, app }) => ({ _id, app })),
    { session },
  )
}

/** Without a session, whether the entry is committed. */
export async function hasAuditEntry(db: Db, app: string, id: string, session?: Session): Promise<boolean> {
  const options = { projection: { _id: 1 }, ...(session ? { session } : { readConcern: 'majority' as const }) }
  return (await db.audit.findOne({ _id: key(app, id) }, options)) !== null
}

interface AuditQuery {
  actor?: string | undefined
  subject?: string | undefined
  action?: string | undefined
}

/** A page of an app's entries, latest first. Uses the index of the subject, actor or action if given. */
export async function findAuditEntries(
  db: Db,
  app: string,
  { actor, subject, action }: AuditQuery,
  page: TimePage,
): Promise<AuditDoc[]> {
  const of: Filter<AuditDoc> = { app, ...defined({ actor, subject, action }) }
  const before = page.before && { ...page.before, id: key(app, page.before.id) }
  return findTimePage(db.audit, of, { time: 'atMS', id: '_id' }, { ...page, before })
}

/** Apps with unsealed entries. One query for each: however many entries an app has, the next app comes after it. */
export async function* unsealedApps(db: Db): AsyncGenerator<string> {
  let after: Filter<UnsealedDoc> = {}
  for (;;) {
    const next = await db.auditUnsealed.findOne(after, { sort: { _id: 1 } })
    if (!next) return
    yield next.app
    after = { _id: { $gte: keyRange(next.app).$lt } }
  }
}

/** Removes unsealed entries of an app from the queue and returns them in ID order. */
export async function takeUnsealed(db: Db, app: string, limit: number, session: Session): Promise<AuditDoc[]> {
  const waiting = await db.auditUnsealed
    .find({ _id: keyRange(app) }, { session })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
  const ids = idsOf(waiting)
  if (ids.length === 0) return []
  await db.auditUnsealed.deleteMany({ _id: { $in: ids } }, { session })
  return db.audit
    .find({ _id: { $in: ids } }, { session })
    .sort({ _id: 1 })
    .toArray()
}

export async function findLastSeal(db: Db, app: string, session: Session): Promise<AuditSealDoc | null> {
  return db.auditSeals.findOne({ _id: keyRange(app) }, { session, sort: { _id: -1 } })
}

export async function insertSeal(db: Db, seal: AuditSealDoc, session: Session): Promise<void> {
  await db.auditSeals.insertOne(seal, { session })
}

export function sealKey(app: string, seq: number): string {
  return key(app, String(seq).padStart(10, '0'))
}

/** The links of an app's chain in order, each with the entries that still exist. */
export async function* readChain(db: Db, app: string): AsyncGenerator<{ seal: AuditSealDoc; entries: AuditDoc[] }> {
  const seals = db.auditSeals.find({ _id: keyRange(app) }).sort({ _id: 1 })
  for await (const seal of seals) {
    const ids = seal.entries.map(({ id }) => key(app, id))
    yield { seal, entries: await db.audit.find({ _id: { $in: ids } }).toArray() }
  }
}

/** A consistent count of an app's audit log, unaffected by concurrent changes and sealing. */
interface AuditCount {
  atMS: number
  /** `seq` of the last link. */
  lastSeq: number
  /** Entries that have not expired. */
  active: number
  unsealed: number
}

export async function countAuditEntries(db: Db, app: string): Promise<AuditCount> {
  const range = { _id: keyRange(app) }
  const atMS = clock.now()
  // `$nor` also counts entries without `expiresAt`, which only an outside writer could have made.
  const active = { ...range, $nor: [{ expiresAt: { $lte: new Date(atMS) } }] }
  return inSnapshot(db, async (session) => ({
    atMS,
    lastSeq: (await findLastSeal(db, app, session))?.seq ?? 0,
    active: await db.audit.countDocuments(active, { session }),
    unsealed: await db.auditUnsealed.countDocuments(range, { session }),
  }))
}
