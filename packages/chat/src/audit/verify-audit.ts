import { clock } from '@parley/async/clock'
import { countAuditEntries, readChain } from '@parley/db/audit/audit-log'
import type { AuditDoc, AuditSealDoc } from '@parley/db/audit/documents'
import type { Db } from '@parley/db/connect'
import { hashOfEntry, hashOfSeal } from './seal-entries.ts'

/** The result of a verification. */
export interface AuditVerification {
  entries: number
  links: number
  /** Entries from the last seconds, not in a link yet. */
  unsealed: number
  /** `hash` of the last link; empty without any. Kept elsewhere, it proves later that the end was not cut off. */
  head: string
  /** Whether a hash kept by the operator is in the chain; undefined without one. */
  hasExpected: boolean | undefined
  /** Each mismatch; empty for an intact chain. */
  faults: string[]
}

const mostFaults = 100

/**
 * Recomputes the chain of an app's audit log, while it grows. Expired entries and links may be missing, from the oldest on; each
 * link says until when the one before it has to be there.
 */
export async function verifyAudit(db: Db, app: string, expected?: string): Promise<AuditVerification> {
  const faults: string[] = []
  const fault = (text: string) => faults.length < mostFaults && faults.push(text)
  let [entries, linked, links, hasExpected] = [0, 0, 0, false]
  let last: AuditSealDoc | undefined
  const counted = await countAuditEntries(db, app)
  for await (const { seal, entries: found } of readChain(db, app)) {
    for (const text of faultsOfLink(seal, last)) fault(text)
    for (const text of faultsOfEntries(seal, found)) fault(text)
    links++
    entries += found.length
    if (seal.seq <= counted.lastSeq) linked += livingAt(counted.atMS, seal, found)
    hasExpected ||= seal.hash === expected
    last = seal
  }
  const { living, unsealed } = counted
  const outside = living - unsealed - linked
  if (outside > 0) fault(`${outside} entries are in no link of the chain`)
  if (expected !== undefined && !hasExpected) fault(`no link has the hash ${expected}`)
  const head = last?.hash ?? ''
  return { entries, links, unsealed, head, hasExpected: expected === undefined ? undefined : hasExpected, faults }
}

function faultsOfLink(seal: AuditSealDoc, before: AuditSealDoc | undefined): string[] {
  const named = `link ${seal.seq} of ${seal.day}`
  const isFirst = before === undefined
  return [
    ...(hashOfSeal(seal) === seal.hash ? [] : [`${named} was changed`]),
    ...(isFirst || seal.seq === before.seq + 1 ? [] : [`${named} follows link ${before.seq}: links are missing`]),
    ...(isFirst || seal.previous === before.hash ? [] : [`${named} does not follow the link before it`]),
    ...(isFirst && seal.seq === 1 && seal.previous !== '' ? [`${named} is the first and names one before it`] : []),
    ...(isFirst && seal.seq > 1 && !mayLackPrevious(seal)
      ? [`${named} is the oldest: links before it are missing`]
      : []),
  ]
}

function mayLackPrevious({ previousExpiresAtMS = Number.POSITIVE_INFINITY }: AuditSealDoc): boolean {
  return previousExpiresAtMS <= clock.now()
}

/** The entries of a link that were not expired at a time: those that are there, and those that have expired since. */
function livingAt(atMS: number, seal: AuditSealDoc, found: readonly AuditDoc[]): number {
  const there = new Set(found.map(({ id }) => id))
  return seal.entries.filter(
    ({ id, expiresAtMS }) => expiresAtMS > atMS && (there.has(id) || expiresAtMS <= clock.now()),
  ).length
}

function faultsOfEntries(seal: AuditSealDoc, found: readonly AuditDoc[]): string[] {
  const byId = new Map(found.map((entry) => [entry.id, entry]))
  return seal.entries.flatMap(({ id, hash, expiresAtMS }) => {
    const entry = byId.get(id)
    if (!entry) return expiresAtMS <= clock.now() ? [] : [`entry ${id} is missing`]
    return hashOfEntry(entry) === hash ? [] : [`entry ${id} was changed`]
  })
}
