import { z } from 'zod'
import { messageId, roomId, timeMS, userId } from '../ids.ts'
import { exampleMessage, exampleRoom } from '../operations/examples.ts'
import { exampleReminder } from '../operations/messages/saved-messages.ts'
import { ours } from '../ours.ts'
import { invitation } from '../resources/invitation.ts'
import { message } from '../resources/message.ts'
import { exampleUserPresence, userPresence } from '../resources/presence.ts'
import { userNotifications } from '../resources/push/notification-settings.ts'
import { room } from '../resources/room.ts'
import { roomPref } from '../resources/room-pref.ts'
import { reminder } from '../resources/saved-message.ts'

interface EventContract {
  /** When it is emitted. */
  summary: string
  payload: z.ZodType
  /** Recipients: the sockets of a room's members, or of one user. */
  to: 'room' | 'user'
  /** Whether the stream keeps it for consumers. All others are live only. */
  captured: boolean
  /** True if the interface defines it; the others are extensions. */
  inInterface?: true
  example: unknown
}

/** Every event that reaches sockets (docs/events.md). */
export const serverEvents = {
  'chat message': {
    summary: 'A room received a message, including the user’s own',
    payload: message,
    to: 'room',
    captured: true,
    inInterface: true,
    example: exampleMessage,
  },
  'thread message': {
    summary: 'A thread of a room received a message',
    payload: message,
    to: 'room',
    captured: true,
    example: {
      ...exampleMessage,
      _id: '66f0c1a2b3c4d5e6f7a8b9c1',
      id: '66f0c1a2b3c4d5e6f7a8b9c1',
      threadOf: exampleMessage._id,
    },
  },
  room: {
    summary: 'A room was created, or its members, name or settings changed',
    payload: room,
    to: 'room',
    captured: true,
    inInterface: true,
    example: exampleRoom,
  },
  lastRead: {
    summary: 'A member reported the last message they have read',
    payload: z.object({ roomID: roomId, memberID: userId, messageID: messageId }),
    to: 'room',
    captured: true,
    inInterface: true,
    example: { roomID: 'demo-room', memberID: 'bob', messageID: exampleMessage._id },
  },
  threadLastRead: {
    summary: 'The user read further in a thread on another device',
    payload: z.object({ roomID: roomId, threadOf: messageId, messageID: messageId, unread: z.number().int().min(0) }),
    to: 'user',
    captured: true,
    example: {
      roomID: 'demo-room',
      threadOf: exampleMessage._id,
      messageID: '66f0c1a2b3c4d5e6f7a8b9c1',
      unread: 0,
    },
  },
  delivered: {
    summary: 'Messages of the user were delivered to members of a room, each with their latest. At most once a second',
    payload: z.object({
      roomID: roomId,
      members: z.array(z.object({ memberID: userId, messageID: messageId, seq: z.number().int() })),
    }),
    to: 'user',
    captured: false,
    example: { roomID: 'demo-room', members: [{ memberID: 'bob', messageID: exampleMessage._id, seq: 12 }] },
  },
  typing: {
    summary: 'Another member is typing',
    payload: z.object({ room: roomId, message: z.string(), sender: userId.meta(ours) }),
    to: 'room',
    captured: false,
    inInterface: true,
    example: { room: 'demo-room', message: 'Hel', sender: 'bob' },
  },
  ai_streaming: {
    summary: 'A piece of a message that a robot is writing',
    payload: z.object({
      room: roomId,
      sender: userId,
      text: z.string(),
      message: messageId.optional().meta(ours).describe('Message that is being streamed into the history'),
      at: z
        .number()
        .int()
        .optional()
        .meta(ours)
        .describe('With `message`: start of the piece in its text, in UTF-16 units'),
    }),
    to: 'room',
    captured: false,
    inInterface: true,
    example: { room: 'demo-room', sender: 'robot', text: 'The answer ' },
  },
  roomPref: {
    summary: 'The user changed a room preference on another device',
    payload: z.object({ room: roomId, ...roomPref.shape, tagColors: roomPref.shape.tagColors.meta(ours) }),
    to: 'user',
    captured: true,
    inInterface: true,
    example: {
      room: 'demo-room',
      tags: ['work'],
      tagColors: {},
      hidden: false,
      sticky: true,
      muted: false,
      folder: '',
    },
  },
  notificationSettings: {
    summary: 'The user’s notification settings were changed on another device or by an API key',
    payload: z.object({
      room: roomId.optional().describe('Absent: the user’s general settings'),
      threadOf: messageId.optional().describe('Root of a thread in the room'),
      settings: userNotifications.describe('The complete settings'),
    }),
    to: 'user',
    captured: true,
    example: { room: 'demo-room', settings: { level: 'mentions' } },
  },
  reminder: {
    summary: 'A reminder of the user is due',
    payload: reminder,
    to: 'user',
    captured: true,
    example: exampleReminder,
  },
  myPrefChange: {
    summary: 'The user set a personal preference on another device',
    payload: z.object({ data: z.unknown(), key: z.string() }),
    to: 'user',
    captured: true,
    inInterface: true,
    example: { key: 'theme', data: { dark: true } },
  },
  myPrefDelete: {
    summary: 'The user deleted the personal preference with this key on another device',
    payload: z.string(),
    to: 'user',
    captured: true,
    inInterface: true,
    example: 'theme',
  },
  invitation: {
    summary: 'The user was invited to a group',
    payload: invitation,
    to: 'user',
    captured: true,
    inInterface: true,
    example: {
      _id: '66f0c1a2b3c4d5e6f7a8b9c2',
      inviter: 'alice',
      invitee: 'bob',
      room: 'demo-room',
      createdAt: '2026-11-20T12:00:00.000Z',
      updatedAt: '2026-11-20T12:00:00.000Z',
    },
  },
  removedFromRoom: {
    summary: 'The user left or was removed from a group',
    payload: z.object({
      room: roomId,
      by: userId.nullable().describe('Acting user; null for the API key'),
    }),
    to: 'user',
    captured: true,
    example: { room: 'demo-room', by: 'alice' },
  },
  serverTime: {
    summary: 'All events up to this time have arrived: the next `since`. Once a minute, to sockets that sent `since`',
    payload: z.object({ serverTimeMS: timeMS }),
    to: 'user',
    captured: false,
    example: { serverTimeMS: 1_795_176_000_000 },
  },
  presence: {
    summary: 'The presence of watched users changed: their current states, at most once a second',
    payload: z.object({ clients: z.array(userPresence) }),
    to: 'user',
    captured: false,
    example: { clients: [exampleUserPresence] },
  },
  userDeleteMessages: {
    summary: 'The user deleted messages for themselves',
    payload: z.object({
      room: roomId,
      messages: z.array(messageId),
      isUserDeleteAllMessagesInRoom: z.boolean(),
      upToSeq: z.number().int().optional().meta(ours).describe('With all messages: those up to this `seq`'),
    }),
    to: 'user',
    captured: true,
    inInterface: true,
    example: { room: 'demo-room', messages: [exampleMessage._id], isUserDeleteAllMessagesInRoom: false },
  },
  messageDeleted: {
    summary: 'A message was deleted for everyone; _all: every message of the room',
    payload: z.object({
      room: roomId,
      messageID: z.string(),
      upToSeq: z.number().int().optional().meta(ours).describe('With _all: messages of the room up to this `seq`'),
      upToMS: timeMS.optional().meta(ours).describe('With _all: messages of its threads up to this `createdAtMS`'),
    }),
    to: 'room',
    captured: true,
    inInterface: true,
    example: { room: 'demo-room', messageID: exampleMessage._id },
  },
  messageUpdated: {
    summary: 'A message was edited, recalled, reacted to or pinned',
    payload: message,
    to: 'room',
    captured: true,
    example: { ...exampleMessage, message: 'Hello, Bob!' },
  },
} as const satisfies Record<string, EventContract>

export type ServerEvent = keyof typeof serverEvents

/** Whether the event carries a new message of a room or thread. */
export function isNewMessage(event: ServerEvent): boolean {
  return event === 'chat message' || event === 'thread message'
}

export type EventPayload<E extends ServerEvent> = z.output<(typeof serverEvents)[E]['payload']>
type EventTo<To> = { [E in ServerEvent]: (typeof serverEvents)[E]['to'] extends To ? E : never }[ServerEvent]
export type RoomEvent = EventTo<'room'>
export type UserEvent = EventTo<'user'>
