import { setTimeout as pause } from 'node:timers/promises'
import { batched } from '@parley/async/batch'
import { isDatabaseAway } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { appendStored, appendToBuffers, fenceAppends, type RoomAppend } from '@parley/db/room-buffer/append'
import { findArrived, untilDurable } from '@parley/db/room-buffer/buffer'
import type { SendFacts } from '@parley/db/room-buffer/facts'
import { ContentionTimeout } from '@parley/db/transactions/locks'
import type { UserDoc } from '@parley/db/users/documents'
import type { SenderProfiles } from '../users/sender-profiles.ts'
import { type DecideParts, decide, readFacts, type SendResult } from './decide.ts'
import type { Flusher } from './flush.ts'
import { type Draft, isLeaseExpired, LeaseExpired } from './new-message.ts'
import { type PendingAppend, splitByRoom, splitLarge, withPositions } from './pending-append.ts'
import type { RoomCache } from './room-cache.ts'

/** Bounds the time that other sends wait for a write. */
const messagesPerWrite = 500
/** A single write at a time makes the largest batches. More are allowed in case one is slow. */
const writesAtOnce = 4
const maxWaitMS = 20
/**
 * Clients of a batch send again together, and larger batches cost less: an update of a room costs MongoDB the same for
 * one message as for many.
 */
const restShare = 0.5
/** A send that keeps conflicting, or finds no server, fails after this time. */
const giveUpAfterMS = 10_000
const awayPauseMS = 50

interface AppendParts extends DecideParts {
  profiles: SenderProfiles
  cache: RoomCache
  flusher: Flusher
}

type SendResults = Map<Draft, SendResult | Promise<SendResult>>

/** The last write, until its result is recorded. */
type Attempt =
  | { is: 'none' }
  | { is: 'written'; pending: readonly PendingAppend[] }
  /** Only `count` of the rooms were unchanged since they were read. */
  | { is: 'partly written'; pending: readonly PendingAppend[]; count: number }
  /** The write failed, but may still be applied, now or later. */
  | { is: 'unknown'; pending: readonly PendingAppend[] }

/** Creates a queue in which concurrent sends share a write. Sends to one room go one batch after the other. */
export function createSendQueue(parts: AppendParts): (draft: Draft) => Promise<SendResult> {
  const write = async (drafts: Draft[]) => {
    const results = await appendDrafts(parts, drafts)
    return drafts.map((draft) => results.get(draft) as SendResult | Promise<SendResult>)
  }
  const keyOf = ({ app, room }: Draft) => key(app, room)
  return batched(write, { max: messagesPerWrite, concurrency: writesAtOnce, maxWaitMS, restShare, keyOf })
}

/**
 * Appends messages to the buffers of their rooms with cached facts, which the write proves. Rooms that have changed are
 * read and retried without delaying the others. The result of a failed write is looked up before the next write, so
 * nothing is written twice. A refused draft leaves no trace and takes no seq.
 * @returns a result per draft; a rejected promise if it could not be written
 */
async function appendDrafts(parts: AppendParts, drafts: readonly Draft[]): Promise<SendResults> {
  const results: SendResults = new Map()
  const left = () => drafts.filter((draft) => !results.has(draft))
  // Only events need the profiles, so the write does not wait for them.
  const readProfiles = () => handled(parts.profiles(left()))
  const deadlineMS = performance.now() + giveUpAfterMS
  let profiles = readProfiles()
  let attempt: Attempt = { is: 'none' }
  while (left().length > 0) {
    try {
      const written = await findWritten(parts, attempt)
      record(parts, written, written.length > 0 ? await profiles : new Map(), results)
      const isRetry: boolean = attempt.is === 'partly written'
      attempt = { is: 'none' }
      if (left().length === 0) break
      if (performance.now() > deadlineMS) throw new ContentionTimeout(`a room kept changing for ${giveUpAfterMS} ms`)

      const { pending, marks } = await decideByRoom(parts, left())
      const expired = left().filter(isLeaseExpired)
      for (const draft of expired) results.set(draft, handled(Promise.reject(new LeaseExpired())))
      if (expired.length > 0) continue
      const refused = pending.filter(({ append }) => !append)
      const appended = pending.filter(({ append }) => append)
      const { now, apart } = splitLarge(appended, isRetry)
      record(parts, refused, new Map(), results)
      for (const group of apart) appendApart(parts, group, results)
      if (now.length === 0) continue
      attempt = { is: 'unknown', pending: now }
      attempt = await write(parts, now, marks)
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > deadlineMS) {
        for (const draft of left()) results.set(draft, handled(Promise.reject(error)))
        break
      }
      await pause(awayPauseMS)
      profiles = readProfiles()
    }
  }
  return results
}

/** The written appends of an attempt, with their positions. The others are lost and can no longer be written. */
async function findWritten({ db, cache }: AppendParts, attempt: Attempt): Promise<readonly PendingAppend[]> {
  if (attempt.is === 'none') return []
  const { pending } = attempt
  if (attempt.is === 'written') return withPositions(db, pending)
  if (attempt.is === 'unknown') await fenceAppends(db, pending.flatMap(appendOf))
  const firsts = pending.flatMap(({ append }) => append?.messages[0]?.message ?? [])
  const max = attempt.is === 'unknown' ? undefined : attempt.count
  const arrived = max === 0 ? new Set<string>() : await findArrived(db, firsts, max)
  const hasArrived = ({ append }: PendingAppend) => arrived.has(append?.messages[0]?.message._id ?? '')
  for (const { room } of pending.filter((one) => !hasArrived(one)).flatMap(appendOf)) {
    cache.forget(room, attempt.is === 'partly written')
  }
  return withPositions(db, pending.filter(hasArrived))
}

async function decideByRoom(
  parts: AppendParts,
  drafts: readonly Draft[],
): Promise<{ pending: PendingAppend[]; marks: SendFacts['marks'] }> {
  const facts = await parts.cache.find(drafts, (unknown) => readFacts(parts.db, unknown))
  const batch = await decide(parts, drafts, facts)
  // The first send may not be durable yet, and a repeat must not be acknowledged before it.
  if (batch.results.some((result) => 'repeated' in result && result.repeated)) await untilDurable(parts.db)
  return { pending: splitByRoom(batch, drafts, (roomKey) => parts.cache.isShared(roomKey)), marks: facts.marks }
}

async function write(
  { db }: AppendParts,
  pending: readonly PendingAppend[],
  marks: SendFacts['marks'],
): Promise<Attempt> {
  const appends = pending.flatMap(appendOf)
  const count = await (appends[0]?.areStored ? appendStored : appendToBuffers)(db, appends, marks)
  return count === appends.length ? { is: 'written', pending } : { is: 'partly written', pending, count }
}

/** Records results and passes written appends to the flusher, in one turn, so that all events go out in one write. */
function record(
  { cache, flusher }: AppendParts,
  decided: readonly PendingAppend[],
  senders: ReadonlyMap<string, UserDoc>,
  results: SendResults,
): void {
  for (const { results: own, append } of decided) {
    for (const [draft, result] of own) results.set(draft, result)
    if (!append) continue
    cache.appended(append)
    flusher.take(append, senders)
  }
}

function appendApart(parts: AppendParts, group: readonly PendingAppend[], results: SendResults): void {
  const drafts = group.flatMap((one) => one.results.map(([draft]) => draft))
  const appended = appendDrafts(parts, drafts)
  for (const draft of drafts) results.set(draft, handled(appended.then((all) => all.get(draft) as SendResult)))
}

function appendOf({ append }: PendingAppend): RoomAppend[] {
  return append ? [append] : []
}

/** Marks a rejection as handled before anything awaits it. */
function handled<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}
