import { z } from 'zod'
import { comparedText, messageId, roomId, timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { optionalPage } from '../../optional-page.ts'
import { ours } from '../../ours.ts'
import { nextCursor, pageCursor } from '../../page-cursor.ts'
import { queryFilter } from '../../query-filter.ts'
import { ban } from '../../resources/ban.ts'
import { message } from '../../resources/message.ts'
import { room } from '../../resources/room.ts'
import { sender } from '../../resources/sender.ts'
import { exampleBlock, exampleMessage, exampleRoom, exampleSender } from '../examples.ts'
import { historyQuery, latestSeq } from '../messages/messages.ts'
import { listPins } from '../messages/pins.ts'
import { listThread } from '../messages/threads.ts'

const params = z.object({ id: roomId })

/** Limit of a list's total: counting further would read every room of a large app. */
export const maxCounted = 10_000

const { members: _members, unread: _unread, muted: _muted, pref: _pref, lastMessage: _last, ...listed } = room.shape
const counted = {
  messageCount: z.number().int().describe('All messages of the room, including deleted ones'),
  lastMessageTimeMS: timeMS.optional().describe('Absent before the first message'),
}

/** A room in lists for API keys: without members. */
const listedRoom = z.object({ ...listed, ...counted }).meta({ id: 'ListedRoom', ...ours })

const { unread: _u, muted: _m, pref: _p, ...whole } = room.shape
const adminRoom = z.object({ ...whole, ...counted }).meta({ id: 'AdminRoom', ...ours })

const exampleListed = (({ members: _none, ...rest }) => ({ ...rest, messageCount: 12 }))(exampleRoom)

export const listAllRooms = operation('listAllRooms', 'GET /admin/rooms', {
  tag: 'Administration',
  summary: 'Query the app’s rooms',
  description:
    'Deleted rooms are left out. Sorting by lastMessageTime is exact to the minute; rooms without messages are oldest.',
  access: 'admin',
  scope: 'rooms:read',
  query: z.object({
    q: queryFilter([
      '_id',
      'id',
      'name',
      'roomType',
      'status',
      'roomTags',
      'createdTime',
      'lastMessageTime',
      'memberCount',
    ]),
    search: comparedText(128)
      .min(1)
      .optional()
      .describe('Prefix of the ID, of the name or of a word in it. Matches by ID come first, then by name; not paged'),
    sort: z
      .string()
      .regex(/^-?(createdTime|lastMessageTime|name|memberCount)$/, 'expected one field, with - for descending')
      .optional()
      .describe(
        'createdTime, lastMessageTime, name or memberCount; prefix `-` for descending. Default: `-lastMessageTime`; not with `search`',
      ),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: pageCursor,
  }),
  result: z.object({
    totalCount: z.number().int().describe('Matching rooms, at most 10,000; with `search`, rooms of the page'),
    totalIsExact: z.boolean().describe('False if more rooms match'),
    data: z.array(listedRoom),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY', 'URI_TOO_LONG'],
  example: {
    query: { q: '{"roomTags":"support"}', limit: 50 },
    result: { totalCount: 1, totalIsExact: true, data: [exampleListed] },
  },
})

export const inspectRoom = operation('inspectRoom', 'GET /admin/rooms/:id', {
  tag: 'Administration',
  summary: 'Get a room with all its settings and the latest message',
  access: 'admin',
  scope: 'rooms:read',
  params,
  result: adminRoom,
  errors: ['ROOM_NOT_FOUND'],
  example: { result: { ...exampleRoom, messageCount: 12, lastMessage: exampleMessage } },
})

export const inspectMembers = operation('inspectMembers', 'GET /admin/rooms/:id/members', {
  tag: 'Administration',
  summary: 'List the members of a room with roles, read markers and bans, earliest joined first',
  access: 'admin',
  scope: 'rooms:read',
  params,
  query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(50), cursor: pageCursor }),
  result: z.object({
    totalCount: z.number().int(),
    data: z.array(
      z.object({
        ...sender.shape,
        role: z.enum(['owner', 'manager', 'member']),
        joinedAtMS: timeMS,
        readSeq: z.number().int(),
        deliveredSeq: z.number().int(),
        muted: z.boolean().describe('The member muted the room'),
        blocked: z
          .object({ untilMS: timeMS.optional() })
          .optional()
          .describe('Banned in the room or, in a direct room, blocked by the other user'),
      }),
    ),
    cursor: nextCursor,
  }),
  errors: ['ROOM_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { limit: 50 },
    result: {
      totalCount: 1,
      data: [
        {
          ...exampleSender,
          role: 'owner',
          joinedAtMS: 1_795_176_000_000,
          readSeq: 11,
          deliveredSeq: 12,
          muted: false,
        },
      ],
    },
  },
})

export const inspectMessages = operation('inspectMessages', 'GET /admin/rooms/:id/messages', {
  tag: 'Administration',
  summary: 'Read a page of a room’s history without being a member',
  description:
    'Like GET /rooms/{id}/messages/v3, including messages that users deleted for themselves. Deleted and expired messages are stubs.',
  access: 'admin',
  scope: 'messages:read',
  conversations: true,
  params,
  query: historyQuery.extend({
    includeDeleted: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Show the content of deleted messages while it still exists; it is removed within minutes'),
  }),
  result: z.object({
    totalCount: z.number().int(),
    latestSeq,
    data: z.array(message),
    userDeletedIDs: z.array(messageId).describe('Always empty'),
    inspect: z.object({ query: z.unknown(), tookMS: z.number() }),
  }),
  errors: ['ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { limit: 20 },
    result: {
      totalCount: 1,
      latestSeq: 1,
      data: [exampleMessage],
      userDeletedIDs: [],
      inspect: { query: {}, tookMS: 2 },
    },
  },
})

export const inspectThread = operation('inspectThread', 'GET /admin/messages/:id/thread', {
  params: listThread.params,
  query: listThread.query,
  result: listThread.result,
  example: listThread.example,
  conversations: true,
  tag: 'Administration',
  summary: 'Read a page of a thread without being a member',
  description:
    'Like GET /messages/{id}/thread, including messages that users deleted for themselves. Deleted and expired messages are stubs.',
  access: 'admin',
  scope: 'messages:read',
  errors: ['ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'INVALID_QUERY'],
})

export const inspectPins = operation('inspectPins', 'GET /admin/rooms/:id/pins', {
  tag: 'Administration',
  summary: 'List the pinned messages of a room, newest first',
  access: 'admin',
  scope: 'messages:read',
  conversations: true,
  params,
  query: listPins.query,
  result: listPins.result,
  errors: ['ROOM_NOT_FOUND', 'INVALID_QUERY'],
  example: { query: { limit: 20 }, result: { data: [{ ...exampleMessage, pinned: true }] } },
})

export const inspectBans = operation('inspectBans', 'GET /admin/rooms/:id/bans', {
  tag: 'Administration',
  summary: 'List the active bans in a room, oldest first',
  access: 'admin',
  scope: 'moderation:read',
  params,
  query: optionalPage,
  result: z.array(ban),
  errors: ['ROOM_NOT_FOUND', 'INVALID_QUERY'],
  example: { result: [{ ...exampleBlock, room: 'demo-room' }] },
})

export const inspectRoomsOfUser = operation('inspectRoomsOfUser', 'GET /admin/clients/:client_id/rooms', {
  tag: 'Administration',
  summary: 'List a user’s rooms with unread counts and roles, latest message first',
  access: 'admin',
  scope: 'users:read',
  params: z.object({ client_id: userId }),
  query: z.object({
    skip: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  }),
  result: z.object({
    totalCount: z.number().int(),
    data: z.array(
      listedRoom.extend({ role: z.enum(['owner', 'manager', 'member']), unread: z.number().int(), muted: z.boolean() }),
    ),
  }),
  errors: ['CLIENT_NOT_FOUND', 'INVALID_QUERY'],
  example: {
    query: { limit: 50 },
    result: { totalCount: 1, data: [{ ...exampleListed, role: 'member', unread: 3, muted: false }] },
  },
})
