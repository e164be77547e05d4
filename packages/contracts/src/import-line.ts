import { z } from 'zod'
import { messageId, roomId, userId } from './ids.ts'
import { setRoomPref } from './operations/rooms/room-preferences.ts'
import { roomFields } from './operations/rooms/rooms.ts'
import { profileFields } from './operations/users/users.ts'
import { maxMentions, maxReactions, messageContent, messageType, reactionName } from './resources/message.ts'
import { roomType } from './resources/room.ts'

const text = z.iso.datetime({ offset: true, error: 'expected an ISO-8601 time with its zone, or milliseconds' })
const time = z
  .union([z.number().int().min(0), text.transform((iso) => Date.parse(iso))], {
    error: 'expected an ISO-8601 time with its zone, or milliseconds',
  })
  .refine((ms) => ms <= Date.now(), 'lies in the future')

const user = z.strictObject({
  type: z.literal('user'),
  _id: userId,
  ...profileFields,
  createdAt: time.optional(),
})

const room = z.strictObject({
  type: z.literal('room'),
  _id: roomId,
  roomType,
  ...roomFields,
  managers: z.array(userId).max(100).optional(),
  opening: z.literal([0, 1]).optional(),
  status: z.literal([0, 1]).optional(),
  members: z.tuple([userId, userId]).optional(),
  createdAt: time.optional(),
})

const membership = z.strictObject({
  type: z.literal('membership'),
  room: roomId,
  user: userId,
  joinedAt: time.optional(),
  lastRead: messageId.optional(),
  lastReadAt: time.optional(),
  pref: setRoomPref.body.optional(),
})

const message = z.strictObject({
  type: z.literal('message'),
  _id: messageId,
  room: roomId,
  sender: userId,
  message: messageContent.optional(),
  messageType,
  createdAt: time,
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

/** A line of the file that `parley import` reads (docs/guides/import.md#the-file); times are milliseconds when parsed. */
export const importLine = z.discriminatedUnion('type', [user, room, membership, message], {
  error: 'expected user, room, membership or message',
})
export type ImportLine = z.infer<typeof importLine>
export type ImportOf<T extends ImportLine['type']> = Extract<ImportLine, { type: T }>
