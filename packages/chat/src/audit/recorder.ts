import { clock } from '@parley/async/clock'
import type { AuditSubject } from '@parley/contracts/resources/audit-entry'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import type { Session } from '@parley/db/transactions/transaction'

/** The caller behind a change, and the called operation. */
export interface AuditContext extends Pick<AuditDoc, 'app' | 'actor' | 'actorName' | 'address' | 'action' | 'request'> {
  subject: AuditSubject
  keptDays: number
}

/** Details of a change from its use case: values without secrets, profiles and texts of messages. */
export interface AuditDetails {
  subject?: AuditSubject
  before?: object
  after?: object
}

/**
 * Records one change of one call, in the transaction that makes it (docs/reference/audit.md). A restarted transaction writes its
 * entry again.
 */
export interface Recorder {
  /** Adds to the next entry. */
  note(details: AuditDetails): void
  /** Writes the entry, unless an earlier transaction of the call has committed it. */
  write(db: Db, session: Session): Promise<void>
  /** The caller, for an entry that a job writes later. */
  by(): Pick<AuditDoc, 'actor' | 'actorName' | 'address' | 'request'>
  /** The transaction has committed. */
  committed(): void
  /** The entry for a transaction that several calls share: this call does not write it any more. */
  handOver(details?: AuditDetails): AuditDoc | undefined
}

const dayMS = 24 * 60 * 60 * 1_000
/** The maximum size of the values before, and after; the rest is left out. */
const mostBytes = 4_096

export function createRecorder(context: AuditContext): Recorder {
  const id = newId()
  let details: AuditDetails = {}
  let isDone = false

  function entry(): AuditDoc {
    const { app, actor, actorName, address, action, request, keptDays } = context
    const { kind, id: of } = details.subject ?? context.subject
    const atMS = clock.now()
    const [before, after] = [toJson(details.before), toJson(details.after)]
    return {
      ...{ _id: key(app, id), app, id, atMS, actor, action, subject: `${kind}:${of}` },
      ...(actorName !== undefined && { actorName }),
      ...(address !== undefined && { address }),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      ...(request !== undefined && { request }),
      expiresAt: new Date(atMS + keptDays * dayMS),
    }
  }

  return {
    note(more) {
      details = merged(details, more)
    },
    async write(db, session) {
      if (!isDone) await insertAuditEntries(db, [entry()], session)
    },
    by() {
      const { actor, actorName, address, request } = context
      return {
        actor,
        ...(actorName !== undefined && { actorName }),
        ...(address !== undefined && { address }),
        ...(request !== undefined && { request }),
      }
    },
    committed() {
      isDone = true
    },
    handOver(more = {}) {
      if (isDone) return undefined
      details = merged(details, more)
      isDone = true
      return entry()
    },
  }
}

function merged(known: AuditDetails, more: AuditDetails): AuditDetails {
  const before = (known.before || more.before) && { ...known.before, ...more.before }
  const after = (known.after || more.after) && { ...known.after, ...more.after }
  return { ...known, ...more, ...(before && { before }), ...(after && { after }) }
}

/** Users in an entry: the first ones, and the number of all. */
export function membersInAudit(users: readonly string[]): { count: number; users: string[] } {
  return { count: users.length, users: users.slice(0, 20) }
}

function toJson(values: object | undefined): string | undefined {
  if (!values) return undefined
  const json = JSON.stringify(values)
  return Buffer.byteLength(json) <= mostBytes ? json : JSON.stringify({ fields: Object.keys(values).slice(0, 100) })
}

/** The fields of `after` that differ, with old and new values; fields of `hidden` only by name. */
export function changedFields(
  before: object,
  after: object,
  hidden: readonly string[] = [],
): Required<Pick<AuditDetails, 'before' | 'after'>> {
  const known: Record<string, unknown> = { ...before }
  const differing = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(known[name]),
  )
  const show = (name: string, value: unknown) => (hidden.includes(name) ? '(changed)' : value)
  return {
    before: Object.fromEntries(
      differing.flatMap(([name]) => (hidden.includes(name) ? [] : [[name, known[name] ?? null]])),
    ),
    after: Object.fromEntries(differing.map(([name, value]) => [name, show(name, value)])),
  }
}
