import { hostname } from 'node:os'
import type { Audited } from '@parley/chat/access/api-keys'
import { createRecorder } from '@parley/chat/audit/recorder'
import type { Actor } from '@parley/chat/operators/record-change'
import { everyApp } from '@parley/contracts/resources/operator'
import type { Db } from '@parley/db/connect'
import { inTransaction } from '@parley/db/transactions/transaction'
import { readSettings } from '@parley/service/settings'
import { auditSettings } from '@parley/service/shared-settings'

/**
 * The context of a use case called by a command: it audits the change with the OS user and host.
 * @param about the changed app, if the entry belongs in the log of another one
 */
export function byCommand(db: Db, app: string, command: string, about = app): Audited {
  const { auditDays: keptDays } = readSettings(auditSettings, process.env)
  const subject = { kind: 'app', id: about } as const
  return { db, audit: createRecorder({ app, action: command, keptDays, subject, ...commandActor(command) }) }
}

/** The actor of a command in the audit log. */
export function commandActor(command: string): Actor {
  const actorName = process.env['USER'] ?? `uid ${process.getuid?.()}`
  return { actor: `command:${command}`, actorName, address: hostname() }
}

/**
 * Audits a command that makes many changes: before the first, and once it has ended, with what it did. `work` calls
 * `onBegin` once nothing refuses it, and counts into `done`, so that a failure is recorded with its part.
 */
export async function recordWork<T>(
  db: Db,
  app: string,
  command: string,
  about: object,
  work: (onBegin: () => Promise<void>, done: Record<string, number>) => Promise<T>,
): Promise<T> {
  const done: Record<string, number> = {}
  let hasBegun = false
  const end = (outcome: 'done' | 'failed') => recordCommand(db, app, command, { ...about, ...done, outcome })
  const onBegin = async () => {
    await recordCommand(db, app, command, { ...about, outcome: 'begun' })
    hasBegun = true
  }
  let result: T
  try {
    result = await work(onBegin, done)
  } catch (error) {
    // The database may be what failed; its error must not hide the first.
    if (hasBegun) await end('failed').catch((also: unknown) => console.error(also))
    throw error
  }
  await end('done')
  return result
}

/** Audits a command in the log of the installation, which outlives every app. */
export function recordForAll(db: Db, command: string, about: object): Promise<void> {
  return recordCommand(db, everyApp, command, about)
}

async function recordCommand(db: Db, app: string, command: string, about: object): Promise<void> {
  const { audit } = byCommand(db, app, command)
  audit?.addDetails({ after: about })
  await inTransaction(db, async (session) => audit?.write(db, session))
}
