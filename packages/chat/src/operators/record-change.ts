import { everyApp } from '@parley/contracts/resources/operator'
import type { Session } from '@parley/db/connect'
import type { OperatorDoc } from '@parley/db/operators/documents'
import { type AuditContext, type AuditDetails, createRecorder } from '../audit/recorder.ts'
import type { Operators, Visitor } from './operators.ts'

/** The operator or command behind a change of operators. */
export type Actor = Pick<AuditContext, 'actor' | 'actorName' | 'address' | 'request'>

export function actorOf({ _id, email }: Pick<OperatorDoc, '_id' | 'email'>, { address, request }: Visitor): Actor {
  return { actor: `operator:${_id}`, actorName: email, address, request }
}

/** Records a change of an operator or a sign-in in the log of `*`; a change of roles also in those of the apps. */
export async function recordOfOperator(
  { db, auditDays: keptDays }: Pick<Operators, 'db' | 'auditDays'>,
  by: Actor,
  {
    action,
    operator,
    apps = [],
    before,
    after,
  }: Pick<AuditDetails, 'before' | 'after'> & {
    action: string
    operator: string
    apps?: readonly string[]
  },
  session: Session,
): Promise<void> {
  const subject = { kind: 'operator', id: operator } as const
  for (const app of new Set([everyApp, ...apps])) {
    const recorder = createRecorder({ ...by, app, action, subject, keptDays })
    recorder.addDetails({ ...(before && { before }), ...(after && { after }) })
    await recorder.write(db, session)
  }
}
