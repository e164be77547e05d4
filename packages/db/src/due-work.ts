import { clock } from '@parley/async/clock'
import type { Document } from 'mongodb'
import { historyCollection } from './backup/history-window.ts'
import type { Db } from './db.ts'
import { streamStates } from './events/stream-state.ts'

/** After this time, another process publishes an event that its writer has not: the writer failed or died. */
export const givenUpAfterMS = 4_000
/** Finds work this early, so that it starts on time. */
const aheadMS = 1_000

interface Work {
  collection: string
  /** The field with the due time. */
  field: string
  /** Delay after the time in `field`. */
  afterMS?: number
  /** Further conditions, matching the partial index. */
  when?: Document
}

/** Background work by kind. Each takes one index lookup. */
const works = {
  abandonedMessages: { collection: 'rooms', field: 'bufferSinceMS', afterMS: givenUpAfterMS },
  unpublished: { collection: 'outbox', field: 'atMS', afterMS: givenUpAfterMS },
  lostStream: {
    collection: 'streamState',
    field: 'rebuilding.leaseUntilMS',
    when: { ...streamStates, repairUntilMS: { $exists: false } },
  },
  deletedMessages: { collection: 'rooms', field: 'erasing.leaseUntilMS', when: { erasing: { $exists: true } } },
  expired: { collection: 'messages', field: 'expiresAtMS', when: { expiresAtMS: { $exists: true } } },
  retention: { collection: 'apps', field: 'retention.nextMS', when: { deletingSince: { $exists: false } } },
  scheduled: { collection: 'scheduled', field: 'nextMS', when: { nextMS: { $exists: true } } },
  reminders: { collection: 'reminders', field: 'nextMS' },
  silentStreams: { collection: 'messageStreams', field: 'closeAtMS' },
  jobs: { collection: 'jobs', field: 'leaseUntilMS', when: { leaseUntilMS: { $exists: true } } },
  files: { collection: 'files', field: 'checkAtMS' },
  filesToClear: { collection: 'filesToClear', field: 'nextMS' },
  apns: { collection: 'pushes', field: 'dueAtMS', when: { network: 'apns' } },
  fcm: { collection: 'pushes', field: 'dueAtMS', when: { network: 'fcm' } },
  web: { collection: 'pushes', field: 'dueAtMS', when: { network: 'web' } },
  hms: { collection: 'pushes', field: 'dueAtMS', when: { network: 'hms' } },
  relay: { collection: 'pushes', field: 'dueAtMS', when: { network: 'relay' } },
  // One record per running or killed backup.
  raisedHistory: { collection: historyCollection, field: 'leaseUntilMS' },
} as const satisfies Record<string, Work>

export type WorkKind = keyof typeof works | 'auditEntries' | 'calls'
export const workKinds = [...Object.keys(works), 'auditEntries', 'calls'] as WorkKind[]

interface Due {
  kind: WorkKind
  atMS: number
}

/** When work of each kind is due; absent if nothing is due within a second. One round trip. */
export async function findDueWork(db: Db): Promise<Partial<Record<WorkKind, number>>> {
  const found = await db.streamState.aggregate<Due>(dueWork(clock.now())).toArray()
  return Object.fromEntries(found.map(({ kind, atMS }) => [kind, atMS]))
}

/** The pipeline of findDueWork, on `streamState`. */
export function dueWork(nowMS: number): Document[] {
  const { lostStream, ...others } = works
  const lookups = Object.entries(others).map(([kind, work]) => {
    return { coll: work.collection, pipeline: lookUp(kind, work, nowMS) }
  })
  // Unsealed entries have no due time: they are due at once.
  const entry = [{ $limit: 1 }, { $project: dueAs('auditEntries', { $literal: nowMS }) }]
  const unions = [...lookups, { coll: 'auditUnsealed', pipeline: entry }, calls(nowMS)]
  return [...lookUp('lostStream', lostStream, nowMS), ...unions.map((union) => ({ $unionWith: union }))]
}

function lookUp(kind: string, { field, afterMS = 0, when = {} }: Work, nowMS: number): Document[] {
  const due = { $lte: nowMS + aheadMS - afterMS }
  const own = (when as Record<string, object>)[field]
  return [
    { $match: { ...when, [field]: { ...own, ...due } } },
    { $sort: { [field]: 1 } },
    { $limit: 1 },
    { $project: dueAs(kind, { $add: [`$${field}`, afterMS] }) },
  ]
}

/** Reads one index entry per target, as findDueTargets does. */
function calls(nowMS: number): { coll: string; pipeline: Document[] } {
  return {
    coll: 'callQueues',
    pipeline: [
      { $sort: { target: 1, dueAtMS: 1 } },
      { $group: { _id: '$target', dueAtMS: { $first: '$dueAtMS' } } },
      { $match: { dueAtMS: { $lte: nowMS + aheadMS } } },
      { $group: { _id: null, dueAtMS: { $min: '$dueAtMS' } } },
      { $project: dueAs('calls', '$dueAtMS') },
    ],
  }
}

const dueAs = (kind: string, atMS: Document | string) => ({ _id: 0, kind: { $literal: kind }, atMS })
