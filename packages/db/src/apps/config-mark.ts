import { type ClientSession, type Document, ObjectId } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'

/**
 * Moves with every change of an app's configuration. It lies among the rooms, so that one command can check it and
 * append messages: messages checked against an older configuration are then not written.
 */
export interface ConfigMarkDoc {
  /** configMarkKey(app): no room has this key, since no room's ID is empty. */
  _id: string
  mark: string
}

/** The mark of an app; none if its configuration was never changed. */
export interface ConfigMark {
  app: string
  mark?: string | undefined
}

/** MongoDB's error of a statement that would change _id (ImmutableField). */
const immutableField = 66

export function configMarkKey(app: string): string {
  return key(app, '', 'config')
}

/** Part of the transaction that changes the configuration. */
export async function moveConfigMark(db: Db, app: string, session: ClientSession): Promise<void> {
  const marks = db.mongo.collection<ConfigMarkDoc>(db.rooms.collectionName)
  await marks.updateOne(
    { _id: configMarkKey(app) },
    { $set: { mark: new ObjectId().toHexString() } },
    { upsert: true, session },
  )
}

/**
 * An update statement that fails, and with it all later ones of an ordered command, if the configuration has changed; otherwise
 * it changes nothing.
 */
export function configStatement({ app, mark }: ConfigMark): Document {
  return {
    q: { _id: configMarkKey(app), mark: { $ne: mark ?? null } },
    u: { $set: { _id: 'the configuration has changed' } },
  }
}

/** Whether that statement failed. */
export function isConfigChange({ code }: { code: number }): boolean {
  return code === immutableField
}
