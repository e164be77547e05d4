import { z } from 'zod'
import { madeId, timeMS } from '../ids.ts'
import { ours } from '../ours.ts'

/** Kinds of subjects of an audited change. */
export const subjectKinds = [
  'app',
  'call',
  'config',
  'group',
  'key',
  'message',
  'operator',
  'report',
  'room',
  'user',
] as const
export type AuditSubject = { kind: (typeof subjectKinds)[number]; id: string }

/** A recorded change by an API key, an operator or a command, or an operator's reading of conversations. */
export const auditEntry = z
  .object({
    id: madeId(),
    atMS: timeMS,
    actor: z
      .string()
      .describe(
        '`key:` with an API key ID, `operator:` with an operator ID, `command:` with the command, or `job:` with a job ID',
      ),
    actorName: z.string().optional().describe('Name of the key, e-mail of the operator, or OS user of the command'),
    address: z.string().optional().describe('IP address of the caller, or host name of the command'),
    action: z.string().describe('operationId or command'),
    subject: z.object({ kind: z.enum(subjectKinds), id: z.string() }),
    before: z.unknown().optional().describe('Previous values, without secrets and texts'),
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
