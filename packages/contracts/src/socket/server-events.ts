import { z } from 'zod'
import { messageId, roomId, timeMS, userId } from '../ids.ts'
import { exampleMessage, exampleRoom } from '../operations/examples.ts'
import { exampleReminder } from '../operations/messages/saved-messages.ts'
import { ours } from '../ours.ts'
import { invitation } from '../resources/invitation.ts'
import { message } from '../resources/message.ts'
import { userNotifications } from '../resources/notification-settings.ts'
import { exampleUserPresence, userPresence } from '../resources/presence.ts'
import { room } from '../resources/room.ts'
import { roomPref } from '../resources/room-pref.ts'
import { reminder } from '../resources/saved-message.ts'

interface EventContract {
  /** When it is emitted. */
  summary: string
  payload: z.ZodType
  /** Which sockets get it: those of a room's members, or those of one user. */
  to: 'room' | 'user'
  /** Whether the stream keeps it for the consumers. The others are live only. */
  captured: boolean
  /** True where it goes beyond the interface. */
  extension?: true
  example: unknown
}

/** Every event that reaches sockets (docs/events.md). */
export const serverEvents = {
  'chat message': {
    summary: 'A room received a message, also one of the user’s own',
    payload: message,
    to: 'room',
    captured: true,
    example: exampleMessage,
  },
  'thread message': {
    summary: 'A thread of a room received a message',
    payload: message,
    to: 'room',
    captured: true,
    extension: true,
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
    example: exampleRoom,
  },
  lastRead: {
    summary: 'A member reported the last message that they have read',
    payload: z.object({ roomID: roomId, memberID: userId, messageID: messageId }),
    to: 'room',
    captured: true,
    example: { roomID: 'demo-room', memberID: 'bob', messageID: exampleMessage._id },
  },
  threadLastRead: {
    summary: 'The user has read further in a thread, on another device',
    payload: z.object({ roomID: roomId, threadOf: messageId, messageID: messageId, unread: z.number().int().min(0) }),
    to: 'user',
    captured: true,
    extension: true,
    example: {
      roomID: 'demo-room',
      threadOf: exampleMessage._id,
      messageID: '66f0c1a2b3c4d5e6f7a8b9c1',
      unread: 0,
    },
  },
  delivered: {
    summary: 'Messages of the user have reached members of a room: each with their latest. Once a second at most',
    payload: z.object({
      roomID: roomId,
      members: z.array(z.object({ memberID: userId, messageID: messageId, seq: z.number().int() })),
    }),
    to: 'user',
    captured: false,
    extension: true,
    example: { roomID: 'demo-room', members: [{ memberID: 'bob', messageID: exampleMessage._id, seq: 12 }] },
  },
  typing: {
    summary: 'Another member is typing',
    payload: z.object({ room: roomId, message: z.string(), sender: userId.meta(ours) }),
    to: 'room',
    captured: false,
    example: { room: 'demo-room', message: 'Hel', sender: 'bob' },
  },
  ai_streaming: {
    summary: 'A piece of a message that a robot is writing',
    payload: z.object({
      room: roomId,
      sender: userId,
      text: z.string(),
      message: messageId.optional().meta(ours).describe('The message, when it is being streamed into the history'),
      at: z.number().int().optional().meta(ours).describe('Then: where the piece begins in its text, in UTF-16 units'),
    }),
    to: 'room',
    captured: false,
    example: { room: 'demo-room', sender: 'robot', text: 'The answer ' },
  },
  roomPref: {
    summary: 'The user changed a room preference on another device',
    payload: z.object({ room: roomId, ...roomPref.shape, tagColors: roomPref.shape.tagColors.meta(ours) }),
    to: 'user',
    captured: true,
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
    summary: 'The user’s notifications were changed on another device or by an API key',
    payload: z.object({
      room: roomId.optional().describe('Absent: the settings for everywhere'),
      threadOf: messageId.optional().describe('With a room: those of its thread about this message'),
      settings: userNotifications.describe('All of them there'),
    }),
    to: 'user',
    captured: true,
    extension: true,
    example: { room: 'demo-room', settings: { level: 'mentions' } },
  },
  reminder: {
    summary: 'The time of a reminder of the user has come',
    payload: reminder,
    to: 'user',
    captured: true,
    extension: true,
    example: exampleReminder,
  },
  myPrefChange: {
    summary: 'The user set a personal preference on another device',
    payload: z.object({ data: z.unknown(), key: z.string() }),
    to: 'user',
    captured: true,
    example: { key: 'theme', data: { dark: true } },
  },
  myPrefDelete: {
    summary: 'The user deleted a personal preference on another device: its key',
    payload: z.string(),
    to: 'user',
    captured: true,
    example: 'theme',
  },
  invitation: {
    summary: 'Somebody invited the user to a group',
    payload: invitation,
    to: 'user',
    captured: true,
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
    summary: 'The user left a group, or was removed from it',
    payload: z.object({
      room: roomId,
      by: userId.nullable().describe('The acting user; null for the API key'),
    }),
    to: 'user',
    captured: true,
    extension: true,
    example: { room: 'demo-room', by: 'alice' },
  },
  serverTime: {
    summary: 'Everything up to this time has arrived: the next `since`. Once a minute, to sockets that gave `since`',
    payload: z.object({ serverTimeMS: timeMS }),
    to: 'user',
    captured: false,
    extension: true,
    example: { serverTimeMS: 1_795_176_000_000 },
  },
  presence: {
    summary: 'Watched users came, went, or are away: at most once a second, each with the present state',
    payload: z.object({ clients: z.array(userPresence) }),
    to: 'user',
    captured: false,
    extension: true,
    example: { clients: [exampleUserPresence] },
  },
  userDeleteMessages: {
    summary: 'The user deleted messages for themselves',
    payload: z.object({
      room: roomId,
      messages: z.array(messageId),
      isUserDeleteAllMessagesInRoom: z.boolean(),
      upToSeq: z.number().int().optional().meta(ours).describe('Of all messages: those of the room up to this `seq`'),
    }),
    to: 'user',
    captured: true,
    example: { room: 'demo-room', messages: [exampleMessage._id], isUserDeleteAllMessagesInRoom: false },
  },
  messageDeleted: {
    summary: 'A message was deleted for everybody; _all: every message of the room',
    payload: z.object({
      room: roomId,
      messageID: z.string(),
      upToSeq: z.number().int().optional().meta(ours).describe('Of _all: the messages of the room up to this `seq`'),
      upToMS: timeMS.optional().meta(ours).describe('Of _all: messages of its threads up to this `createdAtMS`'),
    }),
    to: 'room',
    captured: true,
    example: { room: 'demo-room', messageID: exampleMessage._id },
  },
  messageUpdated: {
    summary: 'A message was edited, recalled, reacted to or pinned',
    payload: message,
    to: 'room',
    captured: true,
    extension: true,
    example: { ...exampleMessage, message: 'Hello, Bob!' },
  },
} as const satisfies Record<string, EventContract>

export type ServerEvent = keyof typeof serverEvents

/** Whether the event brings a message of a room or thread, rather than being about one. */
export function isNewMessage(event: ServerEvent): boolean {
  return event === 'chat message' || event === 'thread message'
}

export type EventPayload<E extends ServerEvent> = z.output<(typeof serverEvents)[E]['payload']>
type EventTo<To> = { [E in ServerEvent]: (typeof serverEvents)[E]['to'] extends To ? E : never }[ServerEvent]
export type RoomEvent = EventTo<'room'>
export type UserEvent = EventTo<'user'>
