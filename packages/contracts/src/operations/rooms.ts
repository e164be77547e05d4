import { z } from 'zod'
import { messageId, roomId, userId } from '../ids.ts'
import { operation } from '../operation.ts'
import { maxMembersShown, room, roomType } from '../resources/room.ts'
import { exampleRoom } from './examples.ts'

const text = (max: number) => z.string().max(max)

/** The fields that creating a room and changing it share. */
export const roomFields = {
  name: text(256).optional(),
  cover: text(2048).optional().describe('Cover image URL'),
  description: text(4096).optional(),
  roomTags: z.array(z.string().min(1).max(128)).max(100).optional(),
  webhook: text(2048).optional().describe('Webhook URL'),
  botMode: z.boolean().optional(),
  extParams: z.record(z.string(), z.unknown()).optional(),
  owner: userId.optional(),
}

export const createRoom = operation({
  id: 'createRoom',
  method: 'POST',
  path: '/rooms/',
  tag: 'Rooms',
  summary: 'Create a room',
  description: `A direct room is one per pair of users: creating it again answers the existing one. \`members\` of the answer holds at most ${maxMembersShown} summaries.`,
  access: 'admin',
  form: 'envelope',
  body: z.strictObject({
    ...roomFields,
    _id: roomId.optional().meta({ 'x-extension': true }),
    roomType,
    members: z.array(userId).min(1).max(100_000).describe('User IDs; two for a direct room'),
    systemMessage: z.boolean().optional().describe('Write a message of type joinRoom'),
    encrypted: z.boolean().optional(),
    botState: text(256).optional(),
    serviceStatus: z.number().int().optional(),
  }),
  result: room,
  errors: ['MISSING_PARAMETER', 'CLIENT_NOT_FOUND'],
  example: { body: { roomType: 'group', members: ['alice'], name: 'Demo' }, result: exampleRoom },
})

export const listRooms = operation({
  id: 'listRooms',
  method: 'GET',
  path: '/rooms',
  tag: 'Rooms',
  summary: "The caller's rooms",
  access: 'client-with-id',
  form: 'envelope',
  query: z.object({
    sort: z
      .string()
      .default('-lastMessage')
      .describe('Space-separated lastMessage, createdTime, name; prefix - for descending'),
    skip: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(0).default(0).describe('0 means no limit'),
    updatedAfter: z.string().min(1).optional().describe('ISO-8601 or milliseconds'),
    pref: z.string().min(1).optional().describe('JSON object: filter by the room preferences of the caller'),
    sortUnreadFirst: z.coerce.number().int().default(0).describe('Non-zero: rooms with unread messages first'),
  }),
  result: z.object({
    totalCount: z.number().int(),
    data: z.array(room),
    inspect: z.object({ query: z.unknown(), tookMS: z.number() }).describe('Diagnostic only'),
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { sort: '-lastMessage', limit: 20 } },
})

export const markRead = operation({
  id: 'markRead',
  method: 'PUT',
  path: '/rooms/:id/lastRead',
  tag: 'Rooms',
  summary: 'Report the last message that the caller has read',
  description: 'Broadcasts lastRead to all members. The marker never moves backwards.',
  access: 'client',
  form: 'envelope',
  params: z.object({ id: roomId }),
  body: z.strictObject({ message: messageId }),
  result: z.object({ roomID: roomId, memberID: userId, messageID: messageId, unread: z.number().int() }),
  errors: ['MISSING_PARAMETER', 'NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND'],
  example: { body: { message: '66f0c1a2b3c4d5e6f7a8b9c0' } },
})
