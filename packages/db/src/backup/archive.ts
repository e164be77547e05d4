import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'

const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** A folder of files, on a disk or in a bucket. */
export interface Archive {
  put(name: string, bytes: Uint8Array): Promise<void>
  /** The bytes of a file; undefined if it does not exist. */
  get(name: string): Promise<Uint8Array | undefined>
  /** Removes what was put. */
  discard(): Promise<void>
}

/** The place of several backups: a folder, or a bucket. */
export interface BackupPlace {
  /** Names of the folders in it. */
  names(): Promise<string[]>
  /** Removes a folder, beginning with the given file. */
  remove(name: string, first: string): Promise<void>
}

/** The backup is incomplete or damaged. The message names the file and the fault. */
export class BadBackup extends Error {
  override name = 'BadBackup'
}

export interface Part {
  file: string
  documents: number
  sha256: string
}

export interface BackedUpCollection {
  name: string
  documents: number
  /** Order-independent digest of all documents. */
  digest: string
  parts: Part[]
}

export interface Manifest {
  format: 1
  /** The Parley release that wrote the backup. */
  version: string
  /** The time of the snapshot, as MongoDB cluster time and in ISO 8601. */
  clusterTime: string
  at: string
  /** The last known sequence of the event stream. */
  streamSeq: number
  collections: BackedUpCollection[]
}

export const manifestFile = 'manifest.json'

/** Written last: a backup without a manifest is incomplete. */
export async function writeManifest(archive: Archive, manifest: Manifest): Promise<void> {
  const signed = { manifest, sha256: sha256(JSON.stringify(manifest)) }
  await archive.put(manifestFile, Buffer.from(JSON.stringify(signed, null, 1)))
}

/** @throws BadBackup */
export async function readManifest(archive: Archive): Promise<Manifest> {
  const bytes = await archive.get(manifestFile)
  if (!bytes) throw new BadBackup(`${manifestFile} is missing: there is no backup here, or it was interrupted`)
  const { manifest, sha256: expected } = parse(bytes) ?? {}
  if (!manifest) throw new BadBackup(`${manifestFile} is not that of a backup`)
  if (sha256(JSON.stringify(manifest)) !== expected) throw new BadBackup(`${manifestFile} was changed`)
  if (manifest.format !== 1) throw new BadBackup(`${manifestFile} has a format that this release does not know`)
  return manifest
}

function parse(bytes: Uint8Array): Partial<{ manifest: Manifest; sha256: string }> | null {
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the caller checks the hash that writeManifest wrote
    return JSON.parse(Buffer.from(bytes).toString()) as ReturnType<typeof parse>
  } catch (cause) {
    throw new BadBackup(`${manifestFile} is not JSON`, { cause })
  }
}

export async function writePart(archive: Archive, file: string, documents: readonly Uint8Array[]): Promise<Part> {
  const bytes = await compress(Buffer.concat(documents), { level: constants.Z_BEST_SPEED })
  await archive.put(file, bytes)
  return { file, documents: documents.length, sha256: sha256(bytes) }
}

/** The documents of a part, as BSON. @throws BadBackup */
export async function readPart(archive: Archive, { file, documents, sha256: expected }: Part): Promise<Uint8Array[]> {
  const bytes = await archive.get(file)
  if (!bytes) throw new BadBackup(`${file} is missing`)
  if (sha256(bytes) !== expected) throw new BadBackup(`${file} was changed: its SHA-256 is not that of ${manifestFile}`)
  const found = split(await decompress(bytes))
  if (found.length !== documents) throw new BadBackup(`${file} has ${found.length} documents instead of ${documents}`)
  return found
}

/** Each BSON document starts with its length (bsonspec.org). */
function split(bytes: Buffer): Uint8Array[] {
  const documents: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readInt32LE(at)
    documents.push(bytes.subarray(at, at + length))
    at += length
  }
  return documents
}

function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Counts documents and sums their hashes, so the result does not depend on their order. */
export function createTally() {
  const lanes = new Uint32Array(8)
  let documents = 0
  return {
    add(document: Uint8Array): void {
      documents++
      const hash = createHash('sha256').update(document).digest()
      for (let i = 0; i < lanes.length; i++) lanes[i] = (lanes[i] ?? 0) + hash.readUInt32LE(4 * i)
    },
    result: () => ({ documents, digest: Buffer.from(lanes.buffer).toString('hex') }),
  }
}
