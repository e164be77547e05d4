import { runAlone } from '@parley/async/alone'
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
import { dropRestored, markCollection, restoreLease } from './restore-lease.ts'

/** Reports progress as the number of documents so far. */
type OnProgress = (doing: 'checked' | 'restored' | 'verified' | 'replayed', documents: number) => void

interface RestoreOptions {
  onProgress: OnProgress
  /** Called before the database is changed. */
  onBegin?: (() => void) | undefined
  also?: ((manifest: Manifest) => Promise<void>) | undefined
  moment?: PointInTime | undefined
}

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
 * @throws BadBackup, BadOplog, the errors of restoreLease; BadBackup also if the restored documents differ from the backup
 */
export async function restoreBackup(
  db: Db,
  archive: Archive,
  { onProgress, onBegin, also, moment }: RestoreOptions,
): Promise<{ manifest: Manifest; replayed?: Replayed }> {
  const manifest = await checkBackup(archive, onProgress)
  if (moment) await checkOplog(moment, manifest.clusterTime)
  await refuseNewer(archive, manifest)
  const replayed = await runAlone(restoreLease(db, manifest.clusterTime), (requireAlone) => {
    onBegin?.()
    return restoreAlone({ db, archive, manifest, onProgress, also, moment, requireAlone })
  })
  return { manifest, ...(replayed && { replayed }) }
}

interface Restoring extends RestoreOptions {
  db: Db
  archive: Archive
  manifest: Manifest
  /** Awaited before each write. */
  requireAlone: () => Promise<void>
}

async function restoreAlone(restoring: Restoring): Promise<Replayed | undefined> {
  const { db, manifest, onProgress, also, moment, requireAlone } = restoring
  await dropRestored(db, requireAlone)
  const last = manifest.collections.filter(({ name }) => name === migrationsCollection)
  const rest = manifest.collections.filter(({ name }) => name !== migrationsCollection)
  let restored = 0
  for (const collection of rest) {
    await fill(restoring, collection, (documents) => onProgress('restored', (restored += documents)))
  }
  // Verify before the indexes exist: the TTL indexes delete expired documents.
  let verified = 0
  for (const collection of rest)
    await verify(db, collection, (documents) => onProgress('verified', (verified += documents)))
  await requireAlone()
  const replayed =
    moment && (await replayOplog(db, moment, manifest.clusterTime, (changes) => onProgress('replayed', changes)))
  await requireAlone()
  await makeIndexes(db.mongo)
  await also?.(manifest)
  for (const collection of last) await fill(restoring, collection, () => undefined)
  await db.mongo.collection(markCollection).drop()
  return replayed
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

async function fill(
  { db: { mongo }, archive, requireAlone }: Restoring,
  { name, parts }: BackedUpCollection,
  onPart: (documents: number) => void,
): Promise<void> {
  const collection = mongo.collection(name)
  for (const part of parts) {
    const all = await readPart(archive, part)
    for (const some of inParts(all, documentsAtOnce)) {
      const documents = some.map((bytes): Document => BSON.deserialize(bytes, keepTypes))
      await requireAlone()
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
