import { z } from 'zod'
import { madeId, timeMS } from '../ids.ts'
import { ours } from '../ours.ts'

/** The kinds of things that an audited change is about. */
const subjectKinds = ['app', 'call', 'config', 'group', 'key', 'message', 'operator', 'report', 'room', 'user'] as const
export type AuditSubject = { kind: (typeof subjectKinds)[number]; id: string }

/** A recorded change by an API key, an operator or a command, or an operator's reading of conversations. */
export const auditEntry = z
  .object({
    id: madeId(),
    atMS: timeMS,
    actor: z
      .string()
      .describe(
        '`key:` and the ID of an API key, `operator:` and the ID of an operator, `command:` and the command, or `job:` and the ID of a job',
      ),
    actorName: z
      .string()
      .optional()
      .describe('The name of the key, the e-mail of the operator, or the user on the machine of the command'),
    address: z.string().optional().describe('Of the caller; of a command the name of the machine'),
    action: z.string().describe('The operationId, or the command'),
    subject: z.object({ kind: z.enum(subjectKinds), id: z.string() }),
    before: z.unknown().optional().describe('The changed values before, without secrets and texts'),
    after: z.unknown().optional(),
    request: z.string().optional().describe('X-Request-ID of the call'),
  })
  .meta({ id: 'AuditEntry', ...ours })
export type AuditEntry = z.infer<typeof auditEntry>

export const exampleAuditEntry = {
  id: '66f0c1a2b3c4d5e6f7a8b9c0',
  atMS: 1_795_176_000_000,
  actor: 'key:9f86d081884c',
  actorName: 'support console',
  address: '10.1.2.3',
  action: 'updateRoom',
  subject: { kind: 'room' as const, id: 'demo-room' },
  before: { status: 1 },
  after: { status: 0 },
  request: '8f14e45f-ceea-467f-a8a4-1d0f1e2b3c4d',
}
