import { type Document, MongoServerError } from 'mongodb'
import type { Db } from '../db.ts'
import { isServerError } from '../server-errors.ts'

/** Capacity of the MongoDB servers. Fields are absent if the server does not report them, such as mongos. */
interface MongoState {
  /** Replication lag of each secondary in seconds, by host. */
  lagSeconds: Record<string, number>
  /** The oplog window at the current write rate, extrapolated while the oplog is not full. */
  oplogSeconds?: number
  /** Used and dirty shares of WiredTiger's cache. */
  cache?: { used: number; dirty: number }
  /** The file system with the primary's data. */
  disk?: { sizeBytes: number; freeBytes: number }
}

/**
 * Reads the state of MongoDB's servers (mongodb.com/docs/manual/reference/command/serverStatus, replSetGetStatus,
 * dbStats).
 * @returns undefined if the user lacks the role clusterMonitor
 */
export async function readMongoState({ client, mongo }: Db): Promise<MongoState | undefined> {
  const admin = client.db('admin')
  try {
    const [status, members, stats, oplog] = await Promise.all([
      admin.command({ serverStatus: 1, oplog: 1, ...excludedSections }),
      admin.command({ replSetGetStatus: 1 }).catch(ifUnknown({ members: [] })),
      mongo.command({ dbStats: 1 }),
      client.db('local').command({ collStats: 'oplog.rs' }).catch(ifUnknown({})),
    ])
    return {
      lagSeconds: lagsOf(members['members'] as Member[]),
      ...oplogOf(status, oplog),
      ...cacheOf(status),
      ...diskOf(stats),
    }
  } catch (error) {
    if (isServerError(error, 'Unauthorized')) return undefined
    throw error
  }
}

/** Sections that are not needed, and cost the server time. */
const excludedSections = { metrics: 0, locks: 0, tcmalloc: 0, sharding: 0, transactions: 0 }

interface Member {
  name: string
  stateStr: string
  optimeDate: Date
}

/** mongos refuses the command: it has neither members nor an oplog. */
function ifUnknown(instead: Document): (error: unknown) => Document {
  return (error) => {
    if (error instanceof MongoServerError && !isServerError(error, 'Unauthorized')) return instead
    throw error
  }
}

function lagsOf(members: readonly Member[]): Record<string, number> {
  const primary = members.find(({ stateStr }) => stateStr === 'PRIMARY')
  if (!primary) return {}
  const secondaries = members.filter(({ stateStr }) => stateStr === 'SECONDARY')
  return Object.fromEntries(
    secondaries.map(({ name, optimeDate }) => [
      name,
      Math.max(0, primary.optimeDate.getTime() - optimeDate.getTime()) / 1_000,
    ]),
  )
}

function oplogOf({ oplog }: Document, { size, maxSize }: Document): Pick<MongoState, 'oplogSeconds'> {
  const { earliestOptime, latestOptime } = (oplog ?? {}) as Record<string, { getHighBits(): number }>
  if (!earliestOptime || !latestOptime || !(size > 0)) return {}
  const seconds = latestOptime.getHighBits() - earliestOptime.getHighBits()
  return { oplogSeconds: seconds * Math.max(1, Number(maxSize) / Number(size)) }
}

function cacheOf({ wiredTiger }: Document): Pick<MongoState, 'cache'> {
  const cache = (wiredTiger as { cache?: Record<string, number> } | undefined)?.cache
  const max = cache?.['maximum bytes configured']
  if (!cache || !max) return {}
  const share = (name: string) => (cache[name] ?? 0) / max
  return { cache: { used: share('bytes currently in the cache'), dirty: share('tracked dirty bytes in the cache') } }
}

function diskOf({ fsTotalSize, fsUsedSize }: Document): Pick<MongoState, 'disk'> {
  if (typeof fsTotalSize !== 'number' || typeof fsUsedSize !== 'number') return {}
  return { disk: { sizeBytes: fsTotalSize, freeBytes: fsTotalSize - fsUsedSize } }
}
