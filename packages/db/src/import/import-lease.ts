import type { Db } from '../db.ts'
import type { ImportLease } from './documents.ts'

const durable = { writeConcern: { w: 'majority', j: true } } as const

const untilIn = (leaseMS: number) => ({ $add: ['$$NOW', leaseMS] })

/** Takes the import lease of an app. Returns undefined, or the lease of the current holder. */
export async function takeImports(db: Db, app: string, by: string, leaseMS: number): Promise<ImportLease | undefined> {
  // A missing field sorts before every time.
  const free = { _id: app, $expr: { $lte: ['$importing.until', '$$NOW'] } }
  const { matchedCount } = await db.apps.updateOne(
    free,
    [{ $set: { importing: { by, until: untilIn(leaseMS) } } }],
    durable,
  )
  if (matchedCount > 0) return undefined
  const found = await db.apps.findOne({ _id: app }, { projection: { importing: 1 } })
  if (!found) throw new Error(`there is no app ${JSON.stringify(app)}`)
  // The holder ended its import just now.
  return found.importing ?? { by, until: new Date(0) }
}

/** @returns whether the lease was still held */
export async function renewImports(db: Db, app: string, by: string, leaseMS: number): Promise<boolean> {
  const own = { _id: app, 'importing.by': by }
  const { matchedCount } = await db.apps.updateOne(own, [{ $set: { 'importing.until': untilIn(leaseMS) } }], durable)
  return matchedCount > 0
}

export async function endImports(db: Db, app: string, by: string): Promise<void> {
  await db.apps.updateOne({ _id: app, 'importing.by': by }, { $unset: { importing: 1 } })
}
