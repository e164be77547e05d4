import { BSON } from 'mongodb'
import type { Db } from '../db.ts'
import type { StreamStateDoc } from '../events/documents.ts'
import { pendingMigrations } from '../schema.ts'
import {
  type Archive,
  type BackedUpCollection,
  createTally,
  type Manifest,
  writeManifest,
  writePart,
} from './archive.ts'
import { type Snapshot, withSnapshot } from './snapshot.ts'

/** Uncompressed. A part is held in memory. */
const bytesPerPart = 16 * 1024 * 1024

interface BackupOptions {
  /** The running Parley release. */
  version: string
  /** See withSnapshot. */
  historySeconds: number
  /** Called after each part, with the number of documents so far. */
  onProgress: (documents: number) => void
  /** Ends the backup, which throws the reason. */
  ending?: AbortSignal
}

/**
 * Writes a snapshot of the whole database to an empty archive. It contains every write acknowledged before the call,
 * and later writes up to one cluster time. The manifest is written last, so an interrupted backup is never taken for a
 * whole one. One that fails is removed.
 * @throws OldSchemaError while the database is being restored: a backup of the part would look whole
 */
export async function backUp(
  db: Db,
  archive: Archive,
  { version, historySeconds, onProgress, ending }: BackupOptions,
): Promise<Manifest> {
  await pendingMigrations(db)
  const writing = withSnapshot(db, historySeconds, async (snapshot) => {
    const collections: BackedUpCollection[] = []
    let streamSeq = 0
    let written = 0
    for (const name of snapshot.collections.toSorted()) {
      const onPart = (documents: number) => {
        ending?.throwIfAborted()
        onProgress((written += documents))
      }
      collections.push(await writeCollection(archive, snapshot, name, onPart))
      if (name === 'streamState') streamSeq = await readStreamSeq(snapshot)
    }
    const { clusterTime, atMS } = snapshot
    const at = new Date(atMS).toISOString()
    const manifest: Manifest = { format: 1, version, clusterTime, at, streamSeq, collections }
    await writeManifest(archive, manifest)
    return manifest
  })
  return writing.catch(async (error: unknown) => {
    await archive.discard()
    throw error
  })
}

async function writeCollection(
  archive: Archive,
  snapshot: Snapshot,
  name: string,
  onPart: (documents: number) => void,
): Promise<BackedUpCollection> {
  const [tally, parts] = [createTally(), [] as BackedUpCollection['parts']]
  let [waiting, bytes] = [[] as Uint8Array[], 0]
  const flush = async () => {
    const file = `${name}-${String(parts.length + 1).padStart(5, '0')}.bson.gz`
    parts.push(await writePart(archive, file, waiting))
    onPart(waiting.length)
    waiting = []
    bytes = 0
  }
  for await (const document of snapshot.read(name)) {
    tally.add(document)
    waiting.push(document)
    bytes += document.length
    if (bytes >= bytesPerPart) await flush()
  }
  if (waiting.length > 0) await flush()
  return { name, ...tally.result(), parts }
}

async function readStreamSeq(snapshot: Snapshot): Promise<number> {
  for await (const bytes of snapshot.read('streamState')) return (BSON.deserialize(bytes) as StreamStateDoc).seq
  return 0
}
