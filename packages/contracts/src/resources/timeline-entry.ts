import { z } from 'zod'
import { timeMS } from '../ids.ts'
import { ours } from '../ours.ts'

/** The groups of entries of a timeline; a caller may ask for some of them (docs/reference/timeline.md). */
export const timelineKinds = [
  'message',
  'delivery',
  'push',
  'call',
  'connection',
  'refusal',
  'read',
  'membership',
  'token',
  'ban',
  'report',
  'audit',
] as const
export type TimelineKind = (typeof timelineKinds)[number]

const text = z.string()

/** The IDs under which other operations know what an entry is about. */
const timelineRefs = z.object({
  message: text.optional(),
  room: text.optional(),
  user: text.optional().describe('The other user: the sender, the reporter, the one who banned'),
  device: text.optional(),
  call: text.optional().describe('The webhook-id'),
  report: text.optional(),
  token: text.optional().describe('The fingerprint'),
  audit: text.optional().describe('ID of the entry of the audit log'),
  actor: text.optional().describe('Of the audit log'),
  request: text.optional().describe('X-Request-ID, or the ID of an emit'),
})

/** One thing that happened to a user or in a room, and why. */
export const timelineEntry = z
  .object({
    timeMS,
    kind: z.enum(timelineKinds),
    code: z.string().describe('A name of the happening that stays the same, such as `PUSH_CONNECTED`'),
    subject: z.object({
      kind: z.enum(['message', 'user', 'room', 'device', 'call', 'token', 'report', 'other']),
      id: z.string(),
    }),
    node: text.optional().describe('The process that did it, where that is known'),
    reason: text.describe('An English sentence without texts of messages'),
    refs: timelineRefs,
  })
  .meta({ id: 'TimelineEntry', ...ours })
export type TimelineEntry = z.infer<typeof timelineEntry>
