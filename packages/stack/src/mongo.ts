import { type Db, MongoClient, MongoServerError } from 'mongodb'
import type { Launch, LaunchPlace } from './launch.ts'

const replicaSet = 'parley'

/**
 * By default, mongod keeps old versions of documents for five minutes, and each poll of a queue scans them. A snapshot
 * read needs them only while it runs, at most for connectDb's timeout: docs/operations.md.
 */
const shortHistory = 'minSnapshotHistoryWindowInSeconds=10'

/**
 * A full test run creates and drops some ten thousand collections and indexes, and mongod can open at most 20,000
 * files. By default, it keeps unused files open for ten minutes.
 */
const closedSoon = 'wiredTigerFileHandleCloseIdleTime=20'

/** The URL of a single-member replica set, with the database in its path. */
export function mongoUrl(port: number, database: string): string {
  return `mongodb://127.0.0.1:${port}/${database}?replicaSet=${replicaSet}`
}

/** mongod as a single-member replica set. Ready when it accepts writes. */
export function mongoLaunch(at: LaunchPlace): Launch {
  return {
    ...at,
    title: 'MongoDB',
    args: (bind, dir) => [
      ...(at.place.way === 'docker' ? ['mongod'] : []),
      ...`--bind_ip ${bind} --port ${at.port} --replSet ${replicaSet} --nounixsocket`.split(' '),
      // CVE-2025-14847: an unpatched mongod with the zlib compressor leaks memory to anyone who can connect.
      ...'--networkMessageCompressors disabled'.split(' '),
      ...'--wiredTigerCacheSizeGB 1 --setParameter diagnosticDataCollectionEnabled=false'.split(' '),
      ...`--setParameter ${shortHistory}`.split(' '),
      ...(at.tenants > 0 ? `--setParameter ${closedSoon}`.split(' ') : []),
      '--dbpath',
      dir,
    ],
    isReady: () => becomePrimary(at.port),
  }
}

/**
 * Makes the server the only member of its replica set, with its current port. Rejects until the server accepts writes.
 */
async function becomePrimary(port: number): Promise<void> {
  const host = `127.0.0.1:${port}`
  await withAdmin(directUrl(port), async (admin) => {
    const config = await admin.command({ replSetGetConfig: 1 }).catch((error: unknown) => {
      if (error instanceof MongoServerError && error.codeName === 'NotYetInitialized') return undefined
      throw error
    })
    const wanted = { _id: replicaSet, members: [{ _id: 0, host }] }
    if (!config) await admin.command({ replSetInitiate: wanted })
    else if (config.config.members[0].host !== host) {
      const version = config.config.version + 1
      await admin.command({ replSetReconfig: { ...config.config, ...wanted, version }, force: true })
    }
    const hello = await admin.command({ hello: 1 })
    if (!hello.isWritablePrimary) throw new Error('not yet the primary')
  })
}

/** The URL of one mongod on loopback, whatever its replica set; fails within a second if it is not up. */
export function directUrl(port: number): string {
  return `mongodb://127.0.0.1:${port}/?directConnection=true&serverSelectionTimeoutMS=1000`
}

/** Runs commands in the database `admin`. */
export async function withAdmin<T>(url: string, work: (admin: Db) => Promise<T>): Promise<T> {
  const client = new MongoClient(url)
  try {
    return await work(client.db('admin'))
  } finally {
    await client.close()
  }
}
