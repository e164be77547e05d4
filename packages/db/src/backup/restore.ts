import { inParts } from '@parley/async/in-parts'
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
import { keepTypes, readRaw } from './raw-documents.ts'
import { checkOplog, type PointInTime, type Replayed, replayOplog } from './replay-oplog.ts'

/** The database has documents, or is being restored from another backup. */
class NotEmpty extends Error {
  override name = 'NotEmpty'
}

/** Reports progress as the number of documents so far. */
type OnProgress = (doing: 'checked' | 'restored' | 'verified' | 'replayed', documents: number) => void

interface RestoreOptions {
  onProgress: OnProgress
  also?: (manifest: Manifest) => Promise<void>
  moment?: PointInTime | undefined
}

/** Names the backup that is being restored. Services are not ready meanwhile: the migrations are restored last. */
const markCollection = 'restoring'

/** Limits memory: a part can hold 100,000 small documents, and each takes many times its size as an object. */
const documentsAtOnce = 2_000

/** Reads and verifies every file of a backup. @throws BadBackup */
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
      throw new BadBackup(`the documents in the files of ${name} do not match manifest.json`)
    }
  }
  return manifest
}

/**
 * Checks a backup, restores it into an empty database and compares the result with the backup. After an interruption,
 * call it again with the same backup: it starts over. Services become ready only when the restore is complete.
 * @param also writes more to the restored database, before services become ready
 * @param moment replays another database's oplog up to this time
 * @throws BadBackup, NotEmpty, BadOplog; BadBackup also if the restored documents differ from the backup
 */
export async function restoreBackup(
  db: Db,
  archive: Archive,
  { onProgress, also, moment }: RestoreOptions,
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
  // Verify before the indexes exist: the TTL indexes delete expired documents.
  let verified = 0
  for (const collection of rest)
    await verify(db, collection, (documents) => onProgress('verified', (verified += documents)))
  const replayed =
    moment && (await replayOplog(db, moment, manifest.clusterTime, (changes) => onProgress('replayed', changes)))
  await makeIndexes(db.mongo)
  await also?.(manifest)
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
    throw new NotEmpty(`the backup of ${mark._id} was being restored here: restore that one, or drop the database`)
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
    const all = await readPart(archive, part)
    for (const some of inParts(all, documentsAtOnce)) {
      const documents = some.map((bytes): Document => BSON.deserialize(bytes, keepTypes))
      await collection.insertMany(documents, { ordered: false })
    }
    onPart(part.documents)
  }
}

async function verify(
  db: Db,
  { name, documents, digest }: BackedUpCollection,
  onDone: (documents: number) => void,
): Promise<void> {
  const tally = createTally()
  for await (const document of readRaw(db, name, { batchSize: documentsAtOnce })) tally.add(document)
  const found = tally.result()
  if (found.documents !== documents || found.digest !== digest) {
    throw new BadBackup(
      `the documents of ${name} in the database differ from the backup: did anything else write to it?`,
    )
  }
  onDone(documents)
}
