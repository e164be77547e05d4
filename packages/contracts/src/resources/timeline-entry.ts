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

const number = z.number()

/** The parts of the sentence, so that it can be said in any language. */
const timelineAbout = z.object({
  user: text.optional().describe('The one that it happened to'),
  by: text.optional().describe('The one who did it; absent: an API key, or the server'),
  messageType: text.optional(),
  seq: number.optional(),
  changes: z.array(z.enum(['edited', 'recalled', 'deleted'])).optional(),
  state: z.enum(['read', 'arrived', 'not reported', 'no member']).optional().describe('Of a message, for `user`'),
  sockets: number.optional(),
  devices: z.array(text).optional(),
  network: text.optional(),
  tokenRemoved: z.boolean().optional(),
  tries: number.optional(),
  error: text.optional().describe('A code, or what another server said'),
  detail: text.optional().describe('Beside `error`: the text of the refusal'),
  nextTryAtMS: timeMS.optional(),
  event: text.optional().describe('Of a call to the webhook of a room; absent: to PUSH_GENERIC'),
  status: number.optional(),
  durationMS: number.optional(),
  transport: text.optional(),
  call: text.optional().describe('The emit or the operation'),
  address: text.optional(),
  readSeq: number.optional(),
  deliveredSeq: number.optional(),
  untilMS: timeMS.optional().describe('Absent: without an end'),
  count: number.optional(),
  decision: text.optional(),
  actor: text.optional(),
  action: text.optional(),
})
export type TimelineAbout = z.infer<typeof timelineAbout>

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
    about: timelineAbout.describe('The parts of `reason`, to be worded with `code`'),
    refs: timelineRefs,
  })
  .meta({ id: 'TimelineEntry', ...ours })
export type TimelineEntry = z.infer<typeof timelineEntry>
