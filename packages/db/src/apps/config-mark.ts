import { type Document, ObjectId } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { key } from '../keys.ts'
import { errorCodes } from '../server-errors.ts'

/**
 * Changes with every change of an app's configuration. Stored in `rooms`, so that one command can check the mark and
 * append messages: messages validated against an older configuration are not written.
 */
export interface ConfigMarkDoc {
  /** configMarkKey(app): no room has this key, since no room's ID is empty. */
  _id: string
  mark: string
}

/** The configuration mark of an app; absent if the configuration was never changed. */
export interface ConfigMark {
  app: string
  mark?: string | undefined
}

export function configMarkKey(app: string): string {
  return key(app, '', 'config')
}

/** Call in the transaction that changes the configuration. */
export async function bumpConfigMark(db: Db, app: string, session: Session): Promise<void> {
  const marks = db.mongo.collection<ConfigMarkDoc>(db.rooms.collectionName)
  await marks.updateOne(
    { _id: configMarkKey(app) },
    { $set: { mark: new ObjectId().toHexString() } },
    { upsert: true, session },
  )
}

/** A no-op that fails if the configuration has changed, which stops the later statements of an ordered command. */
export function configStatement({ app, mark }: ConfigMark): Document {
  return {
    q: { _id: configMarkKey(app), mark: { $ne: mark ?? null } },
    u: { $set: { _id: 'the configuration has changed' } },
  }
}

/** Whether the statement of `configStatement` failed. */
export function isConfigChange({ code }: { code: number }): boolean {
  return code === errorCodes.ImmutableField
}
