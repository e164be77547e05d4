import { z } from 'zod'
import { messageId, roomId, userId } from './ids.ts'
import { fileName, mediaType } from './operations/files/files.ts'
import { configKey } from './operations/integrations/config.ts'
import { sendMessage } from './operations/messages/messages.ts'
import { scheduleMessage } from './operations/messages/scheduled.ts'
import { banMember } from './operations/moderation/bans.ts'
import { reportMessage } from './operations/moderation/reports.ts'
import { setRoomPref } from './operations/rooms/room-preferences.ts'
import { createRoom, updateRoom } from './operations/rooms/rooms.ts'
import { subscribe } from './operations/users/devices.ts'
import { saveGroup } from './operations/users/groups.ts'
import { setMyPref } from './operations/users/preferences.ts'
import { saveUser } from './operations/users/users.ts'
import { holdReason } from './resources/hold.ts'
import { maxReactions, messageContent, reactionName } from './resources/message.ts'
import { roomNotifications, threadNotifications, userNotifications } from './resources/push/notification-settings.ts'
import { reportDecision } from './resources/report.ts'

const error = 'expected an ISO-8601 time with its zone, milliseconds, or seconds'
const text = z.iso.datetime({ offset: true, error })
/** Smaller numbers are seconds: as milliseconds they would be before March 1973. */
const leastMS = 100_000_000_000
const toMS = (given: number) => Math.round(given < leastMS ? given * 1_000 : given)
export const importTime = z.union(
  [
    z.number().min(0).transform(toMS),
    z
      .string()
      .regex(/^\d{9,13}(\.\d+)?$/)
      .transform((digits) => toMS(Number(digits))),
    text.transform((iso) => Date.parse(iso)),
  ],
  { error },
)

/** A field of the REST operation that an import does not support. */
const refused = (reason: string) => z.undefined({ error: reason }).optional()

const token = refused('tokens are not imported: POST /admin/clients issues them')
const user = z.strictObject({
  type: z.literal('user'),
  ...saveUser.body.shape,
  _id: userId,
  issueAccessToken: token,
  deviceId: token,
  token,
  expirationDate: token,
  erased: z.boolean().optional(),
  createdAt: importTime.optional(),
  notifications: userNotifications.optional(),
})

const room = z.strictObject({
  type: z.literal('room'),
  ...createRoom.body.shape,
  _id: roomId,
  managers: updateRoom.body.shape.managers,
  status: updateRoom.body.shape.status,
  members: z.tuple([userId, userId]).optional(),
  abandoned: z.boolean().optional(),
  systemMessage: z.literal(false, { error: 'an import writes no messages of its own' }).optional(),
  createdAt: importTime.optional(),
})

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 of 64 hexadecimal digits')
  .optional()
const file = z.strictObject({
  type: z.literal('file'),
  // Part of a file name.
  _id: z.string().regex(/^[\w-]{1,64}$/, 'expected 1 to 64 letters, digits, - and _'),
  owner: userId.optional(),
  name: fileName,
  mediaType,
  size: z.number().int().min(1),
  createdAt: importTime.optional(),
  status: z.enum(['uploaded', 'checking', 'refused', 'gone']).optional(),
  sha256,
  thumbnail: z.strictObject({ width: z.number().int().min(1), height: z.number().int().min(1), sha256 }).optional(),
})

const membership = z.strictObject({
  type: z.literal('membership'),
  room: roomId,
  user: userId,
  joinedAt: importTime.optional(),
  lastRead: messageId.optional(),
  lastReadAt: importTime.optional(),
  lastReadSeq: z.number().int().min(0).optional(),
  deliveredSeq: z.number().int().min(0).optional(),
  pref: setRoomPref.body.optional(),
  notifications: roomNotifications.optional(),
})

const message = z.strictObject({
  type: z.literal('message'),
  ...sendMessage.body.shape,
  _id: messageId,
  message: messageContent.optional(),
  // Those of system messages only with `system`: see read-line.ts.
  messageType: z.string().min(1).max(64),
  // No defaults: absent fields are not stored.
  push: sendMessage.body.shape.push.unwrap().optional(),
  skipTotalBadge: sendMessage.body.shape.skipTotalBadge.unwrap().optional(),
  sendAtMS: refused(
    'a message that is still to come is imported as a line of type scheduled, or sent by POST /scheduled',
  ),
  createdAt: importTime,
  updatedAt: importTime.optional(),
  threadOf: messageId.optional(),
  reactions: z
    .array(z.strictObject({ client: userId, reaction: reactionName }))
    .max(maxReactions)
    .optional(),
  pinned: z.boolean().optional(),
  edited: z.boolean().optional(),
  recalled: z.boolean().optional(),
  system: z.boolean().optional(),
  isDeleted: z.boolean().optional(),
})

const deletion = z.strictObject({
  type: z.literal('deletion'),
  room: roomId,
  user: userId,
  message: messageId.optional(),
  upToSeq: z.number().int().min(1).optional(),
})

const saved = { user: userId, room: roomId, message: messageId, createdAt: importTime.optional() }
const bookmark = z.strictObject({ type: z.literal('bookmark'), ...saved })
const reminder = z.strictObject({ type: z.literal('reminder'), ...saved, remindAt: importTime })

const thread = z.strictObject({
  type: z.literal('thread'),
  room: roomId,
  threadOf: messageId,
  user: userId,
  joinedAt: importTime.optional(),
  lastReadSeq: z.number().int().min(0).optional(),
  notifications: z.strictObject(threadNotifications.shape).optional(),
})

const { sendAtMS: _sendAt, ...toSend } = scheduleMessage.body.shape
const scheduled = z.strictObject({
  type: z.literal('scheduled'),
  ...toSend,
  _id: messageId,
  sender: userId,
  message: messageContent.optional(),
  sendAt: importTime,
  createdAt: importTime.optional(),
  byClient: z.boolean().optional(),
  refused: z.strictObject({ code: z.string().max(64), message: z.string().max(1_000), at: importTime }).optional(),
})

const group = z.strictObject({ type: z.literal('group'), ...saveGroup.body.shape, _id: userId })

const ban = z.strictObject({
  type: z.literal('ban'),
  // Without it, a ban from the app.
  room: roomId.optional(),
  blockee: userId,
  blocker: userId.optional(),
  ...banMember.body.shape,
  createdAt: importTime.optional(),
})

const madeByParley = z.string().regex(/^[0-9a-f]{24}$/, 'expected 24 hexadecimal digits')
const invitation = z.strictObject({
  type: z.literal('invitation'),
  room: roomId,
  invitee: userId,
  inviter: userId.optional(),
  _id: madeByParley.optional(),
  createdAt: importTime.optional(),
  updatedAt: importTime.optional(),
})

const report = z.strictObject({
  type: z.literal('report'),
  _id: madeByParley,
  room: roomId,
  message: messageId,
  threadOf: messageId.optional(),
  sender: userId,
  messageType: z.string().min(1).max(128),
  messageTime: importTime,
  content: z.unknown().optional(),
  reporters: z
    .array(z.strictObject({ client: userId, reason: reportMessage.body.shape.reason, at: importTime }))
    .max(200),
  count: z.number().int().min(0).max(200),
  decision: reportDecision.optional(),
  decidedAt: importTime.optional(),
  createdAt: importTime,
  updatedAt: importTime,
})

const hold = z.strictObject({
  type: z.literal('hold'),
  _id: madeByParley,
  user: userId.optional(),
  room: roomId.optional(),
  reason: holdReason,
  createdAt: importTime,
  /** Erasures that the hold has stopped. */
  owed: z
    .array(
      z.strictObject({
        ...{ job: madeByParley, user: userId, room: roomId, upTo: importTime },
        content: z.enum(['redact', 'delete']),
      }),
    )
    .optional(),
})

const block = z.strictObject({
  type: z.literal('block'),
  blocker: userId,
  blockee: userId,
  createdAt: importTime.optional(),
})

const { type: network, ...deviceFields } = subscribe.body.shape
const device = z.strictObject({ type: z.literal('device'), user: userId, network, ...deviceFields })

const pref = z.strictObject({
  type: z.literal('pref'),
  user: userId,
  key: setMyPref.params.shape.key,
  data: setMyPref.body.shape.data,
})

const config = z.strictObject({ type: z.literal('config'), key: configKey, data: z.unknown().optional() })

const lines = [
  ...([user, group, file, room, membership, message, deletion, ban, invitation, block, device, pref] as const),
  ...([bookmark, reminder, thread, scheduled, report, hold, config] as const),
] as const
const types = lines.map((line) => line.shape.type.value)

/** A line of a `parley import` file (docs/guides/import.md#the-file). Parsed times are milliseconds. */
export const importLine = z.discriminatedUnion('type', lines, { error: `expected one of ${types.join(', ')}` })
/** An unparsed line, with times in any accepted form. */
export type GivenLine = z.input<typeof importLine>
export type ImportLine = z.infer<typeof importLine>
export type ImportOf<T extends ImportLine['type']> = Extract<ImportLine, { type: T }>

/** Fields that name users. `owner`: an erasure of this user removes what the line wrote. */
const userFields: { [T in ImportLine['type']]?: { owner?: keyof ImportOf<T>; others?: (keyof ImportOf<T>)[] } } = {
  group: { others: ['members'] },
  file: { others: ['owner'] },
  membership: { owner: 'user' },
  message: { others: ['sender', 'reactions'] },
  deletion: { owner: 'user' },
  ban: { others: ['blockee'] },
  invitation: { owner: 'invitee', others: ['inviter'] },
  block: { owner: 'blocker', others: ['blockee'] },
  device: { owner: 'user' },
  pref: { owner: 'user' },
  bookmark: { owner: 'user' },
  reminder: { owner: 'user' },
  thread: { owner: 'user' },
  scheduled: { owner: 'sender' },
  report: { others: ['sender', 'reporters'] },
  hold: { owner: 'user' },
}

/** The users that a line names, except those of rooms, by field. */
export function usersOfLine(line: ImportLine): [field: string, user: string][] {
  const { owner, others = [] } = userFields[line.type] ?? {}
  const fields: string[] = owner === undefined ? [...others] : [owner, ...others]
  return fields.flatMap((field) => usersIn(line, field).map((user): [string, string] => [field, user]))
}

export function ownerOfLine(line: ImportLine): string | undefined {
  return usersIn(line, userFields[line.type]?.owner ?? '')[0]
}

function usersIn(line: ImportLine, field: string): string[] {
  type Value = string | (string | { client: string })[]
  const value = (line as Partial<Record<string, Value>>)[field] ?? []
  return [value].flat().map((one) => (typeof one === 'string' ? one : one.client))
}
