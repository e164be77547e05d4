import { z } from 'zod'
import { messageId, roomId, userId } from '../ids.ts'
import { invitation } from '../resources/invitation.ts'
import { message } from '../resources/message.ts'
import { room } from '../resources/room.ts'
import { roomPref } from '../resources/room-pref.ts'

/**
 * Every event that reaches sockets (interface.md, "Events"; decisions.md): its payload, and whose
 * sockets get it. `captured` events are kept by the stream for the consumers; the others are live only.
 */
export const serverEvents = {
  'chat message': { payload: message, to: 'room', captured: true },
  room: { payload: room, to: 'room', captured: true },
  lastRead: {
    payload: z.object({ roomID: roomId, memberID: userId, messageID: messageId }),
    to: 'room',
    captured: true,
  },
  typing: {
    payload: z.object({ room: roomId, message: z.string(), sender: userId.meta({ 'x-extension': true }) }),
    to: 'room',
    captured: false,
  },
  ai_streaming: {
    payload: z.object({ room: roomId, sender: userId, text: z.string() }),
    to: 'room',
    captured: false,
  },
  roomPref: {
    payload: z.object({ room: roomId, ...roomPref.shape }),
    to: 'user',
    captured: true,
  },
  myPrefChange: { payload: z.object({ data: z.unknown(), key: z.string() }), to: 'user', captured: true },
  myPrefDelete: { payload: z.string(), to: 'user', captured: true },
  invitation: {
    payload: invitation,
    to: 'user',
    captured: true,
  },
  userDeleteMessages: {
    payload: z.object({ room: roomId, messages: z.array(messageId), isUserDeleteAllMessagesInRoom: z.boolean() }),
    to: 'user',
    captured: true,
  },
  messageDeleted: { payload: z.object({ room: roomId, messageID: z.string() }), to: 'room', captured: true },
  messageUpdated: { payload: message, to: 'room', captured: true, extension: true },
} as const satisfies Record<string, { payload: z.ZodType; to: 'room' | 'user'; captured: boolean; extension?: true }>

export type ServerEvent = keyof typeof serverEvents
export type EventPayload<E extends ServerEvent> = z.output<(typeof serverEvents)[E]['payload']>
type EventTo<To> = { [E in ServerEvent]: (typeof serverEvents)[E]['to'] extends To ? E : never }[ServerEvent]
export type RoomEvent = EventTo<'room'>
export type UserEvent = EventTo<'user'>
