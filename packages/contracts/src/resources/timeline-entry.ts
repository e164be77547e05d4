import { z } from 'zod'
import { timeMS } from '../ids.ts'
import { ours } from '../ours.ts'

/** Kinds of timeline entries, for filtering (docs/reference/timeline.md). */
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

/** IDs of the resources in an entry, for other operations. */
const timelineRefs = z.object({
  message: text.optional(),
  room: text.optional(),
  user: text.optional().describe('The other user: sender, reporter or banning user'),
  device: text.optional(),
  call: text.optional().describe('The webhook-id'),
  report: text.optional(),
  token: text.optional().describe('Fingerprint'),
  audit: text.optional().describe('ID of the audit entry'),
  actor: text.optional().describe('Actor of the audit entry'),
  request: text.optional().describe('X-Request-ID or emit ID'),
})

const number = z.number()

/** The parts of `reason`, for localization. */
const timelineAbout = z.object({
  user: text.optional().describe('Affected user'),
  by: text.optional().describe('Acting user; absent: an API key or the server'),
  messageType: text.optional(),
  seq: number.optional(),
  changes: z.array(z.enum(['edited', 'recalled', 'deleted'])).optional(),
  state: z
    .enum(['read', 'arrived', 'not reported', 'no member'])
    .optional()
    .describe('State of the message for `user`'),
  sockets: number.optional(),
  devices: z.array(text).optional(),
  network: text.optional(),
  tokenRemoved: z.boolean().optional(),
  tries: number.optional(),
  error: text.optional().describe('Error code, or error text of another server'),
  detail: text.optional().describe('Text of the refusal in `error`'),
  nextTryAtMS: timeMS.optional(),
  event: text.optional().describe('Event of a room webhook call; absent: PUSH_GENERIC'),
  status: number.optional(),
  durationMS: number.optional(),
  transport: text.optional(),
  call: text.optional().describe('Emit or operation'),
  address: text.optional(),
  readSeq: number.optional(),
  deliveredSeq: number.optional(),
  untilMS: timeMS.optional().describe('Absent: no end'),
  count: number.optional(),
  decision: text.optional(),
  actor: text.optional(),
  action: text.optional(),
})
export type TimelineAbout = z.infer<typeof timelineAbout>

/** An event in the timeline of a user or room, with its reason. */
export const timelineEntry = z
  .object({
    timeMS,
    kind: z.enum(timelineKinds),
    code: z.string().describe('Stable code, such as `PUSH_CONNECTED`'),
    subject: z.object({
      kind: z.enum(['message', 'user', 'room', 'device', 'call', 'token', 'report', 'other']),
      id: z.string(),
    }),
    node: text.optional().describe('Acting process, if known'),
    reason: text.describe('English sentence without message texts'),
    about: timelineAbout.describe('Parts of `reason`, to localize by `code`'),
    refs: timelineRefs,
  })
  .meta({ id: 'TimelineEntry', ...ours })
export type TimelineEntry = z.infer<typeof timelineEntry>
