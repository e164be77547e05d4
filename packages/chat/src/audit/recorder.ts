import { clock, dayMS } from '@parley/async/clock'
import { defined } from '@parley/contracts/defined'
import type { AuditSubject } from '@parley/contracts/resources/audit-entry'
import { insertAuditEntries } from '@parley/db/audit/audit-log'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { Db, Session } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { newId } from '@parley/db/messages/messages'
import { keyFingerprint } from '../access/new-token.ts'

/** The caller behind a change, and the called operation. */
export interface AuditContext extends Pick<AuditDoc, 'app' | 'actor' | 'actorName' | 'address' | 'action' | 'request'> {
  subject: AuditSubject
  keptDays: number
}

/** Details that the use case adds to a change. They contain no secrets, profiles or message texts. */
export interface AuditDetails {
  subject?: AuditSubject
  before?: object
  after?: object
}

/** Size limit of `before` and of `after`. Larger values are reduced to their field names. */
const maxBytes = 4_096

/** Records the change of one call, in its transaction (docs/reference/audit.md). A restart writes the entry again. */
export function createRecorder(context: AuditContext, ownId = newId()) {
  let details: AuditDetails = {}
  let isDone = false

  function entry(id = ownId, about = details): AuditDoc {
    const { app, actor, actorName, address, action, request, keptDays } = context
    const { kind, id: of } = about.subject ?? context.subject
    const atMS = clock.now()
    const [before, after] = [toJson(about.before), toJson(about.after)]
    return {
      ...{ _id: key(app, id), app, id, atMS, actor, action, subject: `${kind}:${of}` },
      ...defined({ actorName, address, before, after, request }),
      expiresAt: new Date(atMS + keptDays * dayMS),
    }
  }

  return {
    addDetails(more: AuditDetails) {
      details = merged(details, more)
    },
    /** Writes the entry, unless an earlier transaction of this call has committed it. */
    async write(db: Db, session: Session) {
      if (!isDone) await insertAuditEntries(db, [entry()], session)
    },
    /** Like `write`, with an entry for each of several subjects. */
    async writeEach(db: Db, session: Session, each: readonly AuditDetails[]) {
      if (isDone) return
      const entries = each.map((about) => entry(newId(), about))
      await insertAuditEntries(db, entries, session)
    },
    committed() {
      isDone = true
    },
    /** Returns the entry for a transaction that several calls share. This call no longer writes it. */
    handOver(more = {}) {
      if (isDone) return undefined
      details = merged(details, more)
      isDone = true
      return entry()
    },
  }
}
export type Recorder = ReturnType<typeof createRecorder>

function merged(known: AuditDetails, more: AuditDetails): AuditDetails {
  const before = (known.before || more.before) && { ...known.before, ...more.before }
  const after = (known.after || more.after) && { ...known.after, ...more.after }
  return { ...known, ...more, ...(before && { before }), ...(after && { after }) }
}

/** Users as stored in an entry: the first 20 and the total number. */
export function membersInAudit(users: readonly string[]): { count: number; users: string[] } {
  return { count: users.length, users: users.slice(0, 20) }
}

/** The fingerprints of revoked tokens, given by digest. */
export function tokensInAudit(digests: readonly string[]): { tokens: string[] } {
  return { tokens: digests.slice(0, 100).map(keyFingerprint) }
}

function toJson(values: object | undefined): string | undefined {
  if (!values) return undefined
  const json = JSON.stringify(values)
  return Buffer.byteLength(json) <= maxBytes ? json : JSON.stringify({ fields: Object.keys(values).slice(0, 100) })
}

/** The fields that differ, with old and new values. Fields in `hidden` appear by name only. */
export function changedFields(
  before: object,
  after: object,
  hidden: readonly string[],
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
