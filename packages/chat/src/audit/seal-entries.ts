import { clock, dayMS } from '@parley/async/clock'
import { digest } from '@parley/db/apps/apps'
import { findLastSeal, insertSeal, sealKey, takeUnsealed, unsealedApps } from '@parley/db/audit/audit-log'
import type { AuditDoc, AuditSealDoc } from '@parley/db/audit/documents'
import { key } from '@parley/db/keys'
import type { Chat } from '../chat.ts'
import { changeAndNotify } from '../events/change-and-notify.ts'
import { notifyFeed } from '../events/event-builders.ts'
import { untilDone, type Worker } from '../jobs/run-workers.ts'
import { toAuditView } from './list-audit.ts'

const entriesPerLink = 200

/**
 * Appends audit log entries to the hash chain of their app, and to the feed. Runs in the background, so changes never
 * wait for it. Safe to run in any number of processes: two cannot create the same link.
 */
export function sealAuditEntries(chat: Chat): Worker {
  return {
    kinds: ['auditEntries'],
    onError: (error) => chat.log.warn({ err: error }, 'audit log not sealed; trying again'),
    work: untilDone((signal) => sealRound(chat, signal)),
  }
}

/** Creates one link for each app, so that an app with many entries delays no other. Returns whether it created any. */
async function sealRound(chat: Chat, signal: AbortSignal): Promise<boolean> {
  let hasSealed = false
  for await (const app of unsealedApps(chat.db)) {
    if (signal.aborted) break
    if (await sealNext(chat, app)) hasSealed = true
  }
  return hasSealed
}

/** Creates the next link of an app's chain. Returns false if no entries were waiting. */
export async function sealNext(chat: Chat, app: string): Promise<boolean> {
  const { db } = chat
  return changeAndNotify(chat, key('audit', app), async (session, pending) => {
    const entries = await takeUnsealed(db, app, entriesPerLink, session)
    if (entries.length === 0) return false
    const seal = linkAfter(await findLastSeal(db, app, session), app, entries)
    await insertSeal(db, seal, session)
    const chain = { seq: seal.seq, day: seal.day, hash: seal.hash }
    for (const entry of entries) {
      notifyFeed(pending, { app, user: entry.actor }, 'audit', { ...toAuditView(entry), chain })
    }
    return true
  })
}

function linkAfter(last: AuditSealDoc | null, app: string, docs: readonly AuditDoc[]): AuditSealDoc {
  const sealedAtMS = clock.now()
  const seq = (last?.seq ?? 0) + 1
  const today = new Date(sealedAtMS).toISOString().slice(0, 10)
  // A slow clock must not go back a day.
  const day = last && last.day > today ? last.day : today
  const previous = last?.hash ?? ''
  const entries = docs.map((doc) => ({ id: doc.id, hash: hashOfEntry(doc), expiresAtMS: doc.expiresAt.getTime() }))
  const previousExpiresAtMS = last?.expiresAt.getTime()
  const link = {
    ...{ app, seq, day, previous, entries, sealedAtMS },
    ...(previousExpiresAtMS !== undefined && { previousExpiresAtMS }),
  }
  const lastMS = Math.max(...entries.map(({ expiresAtMS }) => expiresAtMS))
  // PARLEY_AUDIT_DAYS may have been lowered.
  const expiresAt = new Date(Math.max(lastMS + dayMS, (previousExpiresAtMS ?? 0) + 1))
  return { _id: sealKey(app, seq), ...link, hash: hashOfSeal(link), expiresAt }
}

/** SHA-256 over the whole entry. */
export function hashOfEntry(entry: AuditDoc): string {
  const { app, id, atMS, actor, actorName, address, action, subject, before, after, request, expiresAt } = entry
  const fields = [
    app,
    id,
    atMS,
    actor,
    actorName,
    address,
    action,
    subject,
    before,
    after,
    request,
    expiresAt.getTime(),
  ]
  return digest(JSON.stringify(fields))
}

/** SHA-256 over a link: its position, the previous hash, and its entries. */
export function hashOfSeal(link: Omit<AuditSealDoc, '_id' | 'hash' | 'expiresAt'>): string {
  const { app, seq, day, previous, entries, sealedAtMS, previousExpiresAtMS } = link
  const listed = entries.map(({ id, hash, expiresAtMS }) => [id, hash, expiresAtMS])
  return digest(
    JSON.stringify([
      app,
      seq,
      day,
      previous,
      listed,
      sealedAtMS,
      ...(previousExpiresAtMS === undefined ? [] : [previousExpiresAtMS]),
    ]),
  )
}
