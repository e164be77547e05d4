import { z } from 'zod'
import { messageId, roomId, userId } from './ids.ts'
import { banMember } from './operations/moderation/bans.ts'
import { setRoomPref } from './operations/rooms/room-preferences.ts'
import { createRoom } from './operations/rooms/rooms.ts'
import { subscribe } from './operations/users/devices.ts'
import { saveGroup } from './operations/users/groups.ts'
import { setMyPref } from './operations/users/preferences.ts'
import { profileFields } from './operations/users/users.ts'
import {
  expiresInS,
  maxMentions,
  maxReactions,
  messageContent,
  messageType,
  reactionName,
} from './resources/message.ts'

const error = 'expected an ISO-8601 time with its zone, milliseconds, or seconds'
const text = z.iso.datetime({ offset: true, error })
/** Below it a number is seconds: as milliseconds it would be a time before March 1973. */
const leastMS = 100_000_000_000
const toMS = (given: number) => Math.round(given < leastMS ? given * 1_000 : given)
export const importTime = z
  .union(
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
  .refine((ms) => ms <= Date.now(), 'lies in the future')

const user = z.strictObject({
  type: z.literal('user'),
  _id: userId,
  ...profileFields,
  createdAt: importTime.optional(),
})

const { systemMessage: _systemMessage, members: _members, ...roomFields } = createRoom.body.shape
const room = z.strictObject({
  type: z.literal('room'),
  ...roomFields,
  _id: roomId,
  managers: z.array(userId).max(100).optional(),
  status: z.literal([0, 1]).optional(),
  members: z.tuple([userId, userId]).optional(),
  createdAt: importTime.optional(),
})

const membership = z.strictObject({
  type: z.literal('membership'),
  room: roomId,
  user: userId,
  joinedAt: importTime.optional(),
  lastRead: messageId.optional(),
  lastReadAt: importTime.optional(),
  pref: setRoomPref.body.optional(),
})

const message = z.strictObject({
  type: z.literal('message'),
  _id: messageId,
  room: roomId,
  sender: userId,
  message: messageContent.optional(),
  messageType,
  createdAt: importTime,
  expiresInS: expiresInS.optional(),
  replyTo: messageId.optional(),
  threadOf: messageId.optional(),
  mentions: z.array(userId).max(maxMentions).optional(),
  reactions: z
    .array(z.strictObject({ client: userId, reaction: reactionName }))
    .max(maxReactions)
    .optional(),
  pinned: z.boolean().optional(),
  edited: z.boolean().optional(),
  isDeleted: z.boolean().optional(),
})

const group = z.strictObject({ type: z.literal('group'), ...saveGroup.body.shape, _id: userId })

const ban = z.strictObject({
  type: z.literal('ban'),
  room: roomId,
  blockee: userId,
  blocker: userId.optional(),
  ...banMember.body.shape,
})

const block = z.strictObject({ type: z.literal('block'), blocker: userId, blockee: userId })

const { type: network, ...deviceFields } = subscribe.body.shape
const device = z.strictObject({ type: z.literal('device'), user: userId, network, ...deviceFields })

const pref = z.strictObject({
  type: z.literal('pref'),
  user: userId,
  key: setMyPref.params.shape.key,
  data: setMyPref.body.shape.data,
})

/** A line of the file that `parley import` reads (docs/guides/import.md#the-file); times are milliseconds when parsed. */
export const importLine = z.discriminatedUnion(
  'type',
  [user, group, room, membership, message, ban, block, device, pref],
  {
    error: 'expected user, group, room, membership, message, ban, block, device or pref',
  },
)
export type ImportLine = z.infer<typeof importLine>
export type ImportOf<T extends ImportLine['type']> = Extract<ImportLine, { type: T }>
