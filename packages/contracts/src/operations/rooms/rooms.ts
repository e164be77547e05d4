import { z } from 'zod'
import { isObject } from '../../free-json.ts'
import { clientIDHeader } from '../../headers.ts'
import { comparedText, roomId, shownName, userId } from '../../ids.ts'
import { auditsField, auditsParam, operation } from '../../operation.ts'
import { ours } from '../../ours.ts'
import { expiresInS } from '../../resources/message.ts'
import { retentionDays } from '../../resources/retention.ts'
import { maxMembersShown, room, roomType } from '../../resources/room.ts'
import { prefFilter } from '../../resources/room-pref.ts'
import { timeParameter } from '../../time-parameter.ts'
import { exampleRoom } from '../examples.ts'

const maxSlowModeS = 86_400

const maxExtParamsBytes = 16 * 1024

// Not a record: zod would leave out a field `__proto__`.
const extParams = z
  .any()
  .refine(isObject, 'expected a JSON object')
  .refine(
    (given) => Buffer.byteLength(JSON.stringify(given)) <= maxExtParamsBytes,
    `expected at most ${maxExtParamsBytes} bytes as JSON`,
  )
  .meta({ type: 'object', description: 'Any JSON object of at most 16 KiB', additionalProperties: {} })

export const opening = z.literal([0, 1]).meta(ours).describe('0 closed to joining and invitations, 1 open')

/** Fields for creating and changing rooms. */
export const roomFields = {
  name: shownName(256).optional(),
  cover: comparedText(2048).optional().meta(ours).describe('Cover image URL'),
  description: comparedText(4096).optional().meta(ours),
  roomTags: z.array(comparedText(128).min(1)).max(100).optional().meta(ours),
  webhook: comparedText(2048)
    .optional()
    .meta(ours)
    .describe('An http(s) URL, or a key of the configuration `webhookKeys`; set by and visible to the API key only'),
  botState: comparedText(256).optional().meta(ours).describe('Set by and visible to the API key only'),
  botMode: z.boolean().optional().meta(ours),
  extParams: extParams.optional().meta(ours),
  slowModeS: z
    .number()
    .int()
    .min(0)
    .max(maxSlowModeS)
    .optional()
    .meta(ours)
    .describe('Minimum seconds between two messages of a member; 0 for none'),
  expiresInS: expiresInS
    .optional()
    .meta(ours)
    .describe('Seconds until a message expires, unless it has its own expiresInS; 0 for never'),
  retentionDays: retentionDays
    .optional()
    .meta(ours)
    .describe('Days until messages are removed; 0: as in the configuration `retention`. API key only'),
  owner: userId.optional().meta(ours),
}

export const createRoom = operation('createRoom', 'POST /rooms/', {
  inInterface: true,
  tag: 'Rooms',
  summary: 'Create a room',
  description: `There is one direct room per pair of users: creating it again returns the existing room. So does the \`_id\` of a room of the same type (and pair). The \`_id\` of any other or deleted room is refused. \`members\` of the result has at most ${maxMembersShown} summaries.`,
  access: 'admin',
  scope: 'rooms:write',
  audit: auditsField('room', '_id'),
  body: z
    .strictObject({
      ...roomFields,
      _id: roomId.optional().meta(ours),
      roomType,
      members: z.array(userId).min(1).max(100_000).describe('User IDs; two for a direct room'),
      systemMessage: z.boolean().optional().meta(ours).describe('Also write a message of type joinRoom'),
      encrypted: z.boolean().optional().meta(ours),
      opening: opening.optional(),
      serviceStatus: z.number().int().optional().meta(ours),
    })
    .meta({
      anyOf: [
        { properties: { roomType: { const: 'group' } } },
        {
          properties: { roomType: { const: 'direct' }, members: { minItems: 2, maxItems: 2, uniqueItems: true } },
          not: { required: ['owner'] },
        },
      ],
    }),
  result: room,
  errors: ['MISSING_PARAMETER', 'CLIENT_NOT_FOUND', 'ROOM_EXISTS'],
  example: { body: { roomType: 'group', members: ['alice'], name: 'Demo' }, result: exampleRoom },
})

export const listRooms = operation('listRooms', 'GET /rooms', {
  inInterface: true,
  tag: 'Rooms',
  summary: "List the caller's rooms",
  access: 'client-with-id',
  headers: clientIDHeader,
  query: z.object({
    sort: z
      .string()
      .default('-lastMessage')
      .describe('Space-separated lastMessage, createdTime, name (alphabetical); prefix - for descending')
      .meta({ pattern: '^-?(lastMessage|createdTime|name)( +-?(lastMessage|createdTime|name))*$' }),
    skip: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(0).default(0).describe('0 means no limit'),
    updatedAfter: timeParameter.optional(),
    pref: z
      .string()
      .min(1)
      .optional()
      .describe("JSON object: filter by the caller's room preferences")
      .meta({ contentMediaType: 'application/json', contentSchema: z.toJSONSchema(prefFilter, { io: 'input' }) }),
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

const params = z.object({ id: roomId })

export const getRoom = operation('getRoom', 'GET /rooms/:id', {
  tag: 'Rooms',
  summary: "Get one of the caller's rooms",
  access: 'client',
  params,
  result: room,
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND'],
  example: { result: exampleRoom },
})

export const maxManagers = 1_000

export const updateRoom = operation('updateRoom', 'PUT /rooms/:id', {
  tag: 'Rooms',
  summary: 'Change a room',
  description:
    'For the owner, managers, platform admins and the API key. Managers may not change owner, managers and status; only the API key may change webhook and botState. Emits room to all members.',
  access: 'client-or-admin',
  scope: 'rooms:write',
  audit: auditsParam('room', 'id'),
  params,
  body: z.strictObject({
    ...roomFields,
    managers: z.array(userId).max(maxManagers).optional(),
    opening: opening.optional(),
    status: z.literal([0, 1]).optional().describe('0 frozen: sends are refused'),
  }),
  result: room,
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'USER_BLOCKED', 'INSUFFICIENT_PERMISSIONS', 'MESSAGE_REFUSED'],
  example: { body: { name: 'Demo' }, result: exampleRoom },
})

export const deleteRoom = operation('deleteRoom', 'DELETE /rooms/:id', {
  tag: 'Rooms',
  summary: 'Delete a room',
  description: 'For the owner, platform admins and the API key. Emits room with status 0 to all members.',
  access: 'client-or-admin',
  scope: 'rooms:write',
  audit: auditsParam('room', 'id'),
  params,
  result: room,
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'USER_BLOCKED', 'INSUFFICIENT_PERMISSIONS'],
  example: { result: { ...exampleRoom, status: 0 } },
})
