import { BSON, type Document } from 'mongodb'
import { makeIndexes } from '../collections.ts'
import type { Db } from '../db.ts'
import { migrations, migrationsCollection } from '../schema.ts'
import {
  type Archive,
  type BackedUpCollection,
  BadBackup,
  createTally,
  type Manifest,
  readManifest,
  readPart,
} from './archive.ts'
import { checkOplog, type PointInTime, type Replayed, replayOplog } from './replay-oplog.ts'

/** The database has documents, or is being filled from another backup. */
class NotEmpty extends Error {
  override name = 'NotEmpty'
}

/** Called as work goes on, with the number of documents so far. */
type OnProgress = (doing: 'checked' | 'restored' | 'verified' | 'replayed', documents: number) => void

/** Has the backup that is being restored; services are not ready beside it, as the migrations come last. */
const markCollection = 'restoring'

/** A part, or a batch of MongoDB's own size, can have a hundred thousand small documents, each many times its bytes as objects. */
const documentsAtOnce = 2_000

/** Keeps every number, date and string in the type that it has in the archive. */
const asItIs = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const

/** Reads every file of a backup. @throws BadBackup */
export async function checkBackup(archive: Archive, onProgress: OnProgress): Promise<Manifest> {
  const manifest = await readManifest(archive)
  let checked = 0
  for (const { name, parts, ...expected } of manifest.collections) {
    const tally = createTally()
    for (const part of parts) {
      for (const document of await readPart(archive, part)) tally.add(document)
      onProgress('checked', (checked += part.documents))
    }
    const found = tally.result()
    if (found.documents !== expected.documents || found.digest !== expected.digest) {
      throw new BadBackup(`the files of ${name} have other documents than manifest.json says`)
    }
  }
  return manifest
}

/**
 * Fills an empty database from a backup, after checking all of it, and compares the result with the backup. Broken off, it begins anew
 * when it is called again with the same backup. Services become ready only after its end.
 * @param moment replays the oplog of another database until then
 * @throws BadBackup, NotEmpty, BadOplog; BadBackup too when the database has other documents afterwards than the backup
 */
export async function restoreBackup(
  db: Db,
  archive: Archive,
  onProgress: OnProgress,
  moment?: PointInTime,
): Promise<{ manifest: Manifest; replayed?: Replayed }> {
  const manifest = await checkBackup(archive, onProgress)
  if (moment) await checkOplog(moment, manifest.clusterTime)
  await refuseNewer(archive, manifest)
  await claimDatabase(db, manifest)
  const last = manifest.collections.filter(({ name }) => name === migrationsCollection)
  const rest = manifest.collections.filter(({ name }) => name !== migrationsCollection)
  let restored = 0
  for (const collection of rest) {
    await fill(db, archive, collection, (documents) => onProgress('restored', (restored += documents)))
  }
  // Before there are indexes: one of them removes expired documents.
  let verified = 0
  for (const collection of rest)
    await verify(db, collection, (documents) => onProgress('verified', (verified += documents)))
  const replayed =
    moment && (await replayOplog(db, moment, manifest.clusterTime, (changes) => onProgress('replayed', changes)))
  await makeIndexes(db.mongo)
  for (const collection of last) await fill(db, archive, collection, () => undefined)
  await db.mongo.collection(markCollection).drop()
  return { manifest, ...(replayed && { replayed }) }
}

async function refuseNewer(archive: Archive, { collections, version }: Manifest): Promise<void> {
  const known = new Set(migrations.map(({ name }) => name))
  for (const part of collections.find(({ name }) => name === migrationsCollection)?.parts ?? []) {
    for (const bytes of await readPart(archive, part)) {
      const { _id } = BSON.deserialize(bytes)
      if (!known.has(String(_id)))
        throw new BadBackup(`the backup is of release ${version}, which is newer than this one`)
    }
  }
}

async function claimDatabase({ mongo }: Db, { clusterTime }: Manifest): Promise<void> {
  const mark = await mongo.collection<{ _id: string }>(markCollection).findOne()
  if (mark && mark._id !== clusterTime) {
    throw new NotEmpty(`the backup of ${mark._id} was being restored here: restore that, or drop the database`)
  }
  const names = (await mongo.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)
  for (const name of names) {
    if (mark && name !== markCollection) await mongo.collection(name).drop()
    else if (!mark && (await mongo.collection(name).findOne({}, { projection: { _id: 1 } }))) {
      throw new NotEmpty(`the database ${mongo.databaseName} has documents in ${name}: restore into an empty one`)
    }
  }
  if (!mark) await mongo.collection<{ _id: string }>(markCollection).insertOne({ _id: clusterTime })
}

async function fill(
  { mongo }: Db,
  archive: Archive,
  { name, parts }: BackedUpCollection,
  onPart: (documents: number) => void,
): Promise<void> {
  const collection = mongo.collection(name)
  for (const part of parts) {
    const whole = await readPart(archive, part)
    for (let at = 0; at < whole.length; at += documentsAtOnce) {
      const documents: Document[] = whole
        .slice(at, at + documentsAtOnce)
        .map((bytes) => BSON.deserialize(bytes, asItIs))
      await collection.insertMany(documents, { ordered: false })
    }
    onPart(part.documents)
  }
}

async function verify(
  { mongo }: Db,
  { name, documents, digest }: BackedUpCollection,
  onDone: (documents: number) => void,
): Promise<void> {
  const tally = createTally()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- with `raw`, the driver returns documents as bytes
  const all = mongo
    .collection(name)
    .find({}, { raw: true, batchSize: documentsAtOnce }) as AsyncIterable<unknown> as AsyncIterable<Uint8Array>
  for await (const document of all) tally.add(document)
  const found = tally.result()
  if (found.documents !== documents || found.digest !== digest) {
    throw new BadBackup(`${name} has other documents in the database than in the backup: did anything write meanwhile?`)
  }
  onDone(documents)
}
