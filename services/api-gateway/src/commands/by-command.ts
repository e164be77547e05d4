import { hostname } from 'node:os'
import type { Audited } from '@parley/chat/access/api-keys'
import { createRecorder } from '@parley/chat/audit/recorder'
import type { Db } from '@parley/db/connect'
import { inTransaction } from '@parley/db/transactions/transaction'
import { readSettings } from '@parley/service/settings'
import { auditSettings } from '@parley/service/shared-settings'

/** The parameter of a use case that an operator calls: it records the change with the operator's user and machine. */
export function byCommand(db: Db, app: string, command: string): Audited {
  const { auditDays: keptDays } = readSettings(auditSettings, process.env)
  const audit = createRecorder({
    ...{ app, action: command, keptDays, actor: `command:${command}`, address: hostname() },
    actorName: process.env['USER'] ?? `uid ${process.getuid?.()}`,
    subject: { kind: 'app', id: app },
  })
  return { db, audit }
}

/** Records a command that makes many changes, before the first. */
export async function recordCommand(db: Db, app: string, command: string, about: object = {}): Promise<void> {
  const { audit } = byCommand(db, app, command)
  audit?.note({ after: about })
  await inTransaction(db, async (session) => audit?.write(db, session))
}
