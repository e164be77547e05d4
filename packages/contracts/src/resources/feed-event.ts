import { z } from 'zod'
import { membersChange } from '../bus/push-work.ts'
import { roomId, timeMS, userId } from '../ids.ts'
import { exampleBlock, exampleMessage, exampleUser } from '../operations/examples.ts'
import { group } from '../operations/users/groups.ts'
import { ours } from '../ours.ts'
import { type ServerEvent, serverEvents } from '../socket/server-events.ts'
import { auditEntry, exampleAuditEntry } from './audit-entry.ts'
import { ban, block } from './ban.ts'
import { adminUser } from './user.ts'

interface FeedEventContract {
  summary: string
  payload: z.ZodType
  example: unknown
}

const { mute: _mute, ...exampleProfile } = exampleUser
const exampleBan = { ...exampleBlock, room: 'demo-room' }

/** Events of the integrator's feed that sockets do not get (docs/reference/events-feed.md). */
export const feedOnlyEvents = {
  members: {
    summary: 'Users joined a room, were added to it, left it or were removed',
    payload: membersChange.pick({ event: true, room: true, sender: true, members: true }),
    example: { event: 'ADD_MEMBERS', room: 'demo-room', sender: 'alice', members: ['bob'] },
  },
  ban: { summary: 'A user was banned in a room', payload: ban, example: exampleBan },
  unban: { summary: 'A ban was lifted', payload: ban, example: exampleBan },
  block: { summary: 'A user blocked another', payload: block, example: exampleBlock },
  unblock: { summary: 'A user unblocked another', payload: block, example: exampleBlock },
  user: {
    summary: 'A user was created, or the profile changed',
    payload: adminUser.omit({ mute: true }),
    example: exampleProfile,
  },
  userDeleted: { summary: 'A user was erased', payload: z.object({ _id: userId }), example: { _id: 'alice' } },
  contentErased: {
    summary: 'The content of an erased user’s messages was removed',
    payload: z.object({
      _id: userId,
      content: z.enum(['redact', 'delete']),
      messages: z.number().int().describe('Number of messages whose content was removed'),
      sparedRooms: z.number().int().describe('Number of rooms skipped because of a legal hold'),
    }),
    example: { _id: 'alice', content: 'delete', messages: 120, sparedRooms: 0 },
  },
  group: {
    summary: 'A user group was created or replaced',
    payload: group,
    example: { _id: 'support', nickname: 'Support', avatarUrl: '', members: ['alice', 'bob'] },
  },
  audit: {
    summary: 'An API key, operator or command made a change; sent a few seconds later, in the order of the audit chain',
    payload: auditEntry.extend({
      chain: z
        .object({ seq: z.number().int(), day: z.string(), hash: z.string() })
        .describe('Link of the audit chain with this entry'),
    }),
    example: {
      ...exampleAuditEntry,
      chain: { seq: 12, day: '2026-11-20', hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
    },
  },
  groupDeleted: {
    summary: 'A user group was removed',
    payload: z.object({ _id: userId }),
    example: { _id: 'support' },
  },
} as const satisfies Record<string, FeedEventContract>

export type FeedOnlyEvent = keyof typeof feedOnlyEvents
export type FeedPayload<E extends FeedOnlyEvent> = z.output<(typeof feedOnlyEvents)[E]['payload']>

const isCaptured = (name: string): name is ServerEvent => serverEvents[name as ServerEvent].captured
const capturedEvents = Object.keys(serverEvents).filter(isCaptured)

/** Every event of the feed, by name. */
export const feedEvents: Readonly<Record<string, FeedEventContract>> = {
  ...Object.fromEntries(capturedEvents.map((name) => [name, serverEvents[name]])),
  ...feedOnlyEvents,
}
const [first = '', ...others] = Object.keys(feedEvents)

/** An event of the integrator's feed. */
export const feedEvent = z
  .object({
    cursor: z.string().describe('Position of the event: use as `after` for later events'),
    id: z.string().describe('The same if the event is repeated; for a new message, its `_id`'),
    event: z.enum([first, ...others]).describe('Determines the type of `data`: see the table of events'),
    timeMS: timeMS.describe('When the event was published, in Unix milliseconds'),
    room: roomId.optional().describe('Room concerned'),
    user: userId.optional().describe('User or user group concerned, if no room is'),
    request: z.string().optional().describe('X-Request-ID of the call that caused it'),
    data: z.unknown().describe('Payload; the same that sockets get, if they get the event'),
  })
  .meta({ id: 'FeedEvent', ...ours })

export const exampleFeedEvent = {
  cursor: '2s-mv3k1e80',
  id: exampleMessage._id,
  event: 'chat message',
  timeMS: 1_795_176_000_012,
  room: 'demo-room',
  data: exampleMessage,
}
