import { clock } from '@parley/async/clock'
import { countAuditEntries, readChain } from '@parley/db/audit/audit-log'
import type { AuditDoc, AuditSealDoc } from '@parley/db/audit/documents'
import type { Db } from '@parley/db/connect'
import { hashOfEntry, hashOfSeal } from './seal-entries.ts'

interface AuditVerification {
  entries: number
  links: number
  /** Recent entries that are not in a link yet. */
  unsealed: number
  /** Hash of the last link; empty without one. Keep it to prove later that the chain was not truncated. */
  head: string
  /** Whether the chain contains the hash kept by the operator; undefined if none was given. */
  hasExpected: boolean | undefined
  faults: string[]
}

const maxFaults = 100

/**
 * Recomputes the chain of an app's audit log, even while it grows. Expired entries and links may be missing, oldest
 * first. Each link states until when the previous one must exist.
 */
export async function verifyAudit(db: Db, app: string, expected?: string): Promise<AuditVerification> {
  const faults: string[] = []
  const fault = (text: string) => faults.length < maxFaults && faults.push(text)
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
  const { active, unsealed } = counted
  const outside = active - unsealed - linked
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
    ...(isFirst && seal.seq === 1 && seal.previous !== '' ? [`${named} is the first but names a previous link`] : []),
    ...(isFirst && seal.seq > 1 && !mayLackPrevious(seal)
      ? [`${named} is the oldest: links before it are missing`]
      : []),
  ]
}

function mayLackPrevious({ previousExpiresAtMS = Number.POSITIVE_INFINITY }: AuditSealDoc): boolean {
  return previousExpiresAtMS <= clock.now()
}

/** Number of a link's entries that were unexpired at a time: those still there, and those that have expired since. */
function livingAt(atMS: number, seal: AuditSealDoc, found: readonly AuditDoc[]): number {
  const existing = new Set(found.map(({ id }) => id))
  return seal.entries.filter(
    ({ id, expiresAtMS }) => expiresAtMS > atMS && (existing.has(id) || expiresAtMS <= clock.now()),
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
