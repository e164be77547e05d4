import { z } from 'zod'
import { comparedText, messageId, roomId, timeMS, userId } from '../../ids.ts'
import { operation } from '../../operation.ts'
import { optionalPage } from '../../optional-page.ts'
import { ours } from '../../ours.ts'
import { queryFilter } from '../../query-filter.ts'
import { ban } from '../../resources/ban.ts'
import { message } from '../../resources/message.ts'
import { room } from '../../resources/room.ts'
import { sender } from '../../resources/sender.ts'
import { exampleBlock, exampleMessage, exampleRoom, exampleSender } from '../examples.ts'
import { historyQuery, latestSeq } from '../messages/messages.ts'
import { listThread } from '../messages/threads.ts'

const params = z.object({ id: roomId })
const cursor = z.string().max(1_000).optional().describe('`cursor` of the page before')
const nextCursor = z.string().optional().describe('Of the next page; absent on the last one')

/** The most rooms that a list counts: counting more would read all of a large app. */
export const mostCounted = 10_000

const { members: _members, unread: _unread, muted: _muted, pref: _pref, lastMessage: _last, ...listed } = room.shape
const counted = {
  messageCount: z.number().int().describe('All messages of the room, deleted ones included'),
  lastMessageTimeMS: timeMS.optional().describe('Absent before the first message'),
}

/** A room as a list of an API key has it: without its members. */
const listedRoom = z.object({ ...listed, ...counted }).meta({ id: 'ListedRoom', ...ours })

const { unread: _u, muted: _m, pref: _p, ...whole } = room.shape
const adminRoom = z.object({ ...whole, ...counted }).meta({ id: 'AdminRoom', ...ours })

const exampleListed = (({ members: _none, ...rest }) => ({ ...rest, messageCount: 12 }))(exampleRoom)

export const listAllRooms = operation({
  id: 'listAllRooms',
  method: 'GET',
  path: '/admin/rooms',
  tag: 'Administration',
  summary: 'Query the rooms of the app',
  description:
    'Rooms that are not deleted. `totalCount` is counted to 10,000 at most. With the sort lastMessageTime the order is exact to the minute, and rooms without a message come last.',
  access: 'admin',
  scope: 'rooms:read',
  form: 'envelope',
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
      .describe(
        'Rooms whose ID, whose name or a word of whose name begins with it; by the ID first, then in the order of names, without pages',
      ),
    sort: z
      .string()
      .regex(/^-?(createdTime|lastMessageTime|name|memberCount)$/, 'expected one field, with - for descending')
      .default('-lastMessageTime')
      .describe('One of createdTime, lastMessageTime, name, memberCount; with `-` descending'),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor,
  }),
  result: z.object({
    totalCount: z.number().int().describe('Rooms that match, at most 10,000; with `search` those of the page'),
    totalIsExact: z.boolean().describe('False where more match'),
    data: z.array(listedRoom),
    cursor: nextCursor,
  }),
  errors: ['INVALID_QUERY', 'URI_TOO_LONG'],
  extension: true,
  example: {
    query: { q: '{"roomTags":"support"}', limit: 50 },
    result: { totalCount: 1, totalIsExact: true, data: [exampleListed] },
  },
})

export const inspectRoom = operation({
  id: 'inspectRoom',
  method: 'GET',
  path: '/admin/rooms/:id',
  tag: 'Administration',
  summary: 'A room with everything that is set, and its latest message',
  access: 'admin',
  scope: 'rooms:read',
  form: 'envelope',
  params,
  result: adminRoom,
  errors: ['ROOM_NOT_FOUND'],
  extension: true,
  example: { result: { ...exampleRoom, messageCount: 12, lastMessage: exampleMessage } },
})

export const inspectMembers = operation({
  id: 'inspectMembers',
  method: 'GET',
  path: '/admin/rooms/:id/members',
  tag: 'Administration',
  summary: 'The members of a room with roles, read markers and bans, the longest-standing first',
  access: 'admin',
  scope: 'rooms:read',
  form: 'envelope',
  params,
  query: z.object({ limit: z.coerce.number().int().min(1).max(100).default(50), cursor }),
  result: z.object({
    totalCount: z.number().int(),
    data: z.array(
      z.object({
        ...sender.shape,
        role: z.enum(['owner', 'manager', 'member']),
        joinedAtMS: timeMS,
        readSeq: z.number().int(),
        deliveredSeq: z.number().int(),
        muted: z.boolean().describe('The member gets no pushes of the room'),
        blocked: z
          .object({ untilMS: timeMS.optional() })
          .optional()
          .describe('Banned in the room, or in a direct room blocked by the other'),
      }),
    ),
    cursor: nextCursor,
  }),
  errors: ['ROOM_NOT_FOUND', 'INVALID_QUERY'],
  extension: true,
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

export const inspectMessages = operation({
  id: 'inspectMessages',
  method: 'GET',
  path: '/admin/rooms/:id/messages',
  tag: 'Administration',
  summary: 'A page of the history of a room, without being a member',
  description:
    'As GET /rooms/{id}/messages/v3; nothing is hidden that a user deleted for themselves. Deleted and expired messages are stubs.',
  access: 'admin',
  scope: 'messages:read',
  conversations: true,
  form: 'envelope',
  params,
  query: historyQuery.extend({
    includeDeleted: z
      .enum(['true', 'false'])
      .default('false')
      .describe('Shows of deleted messages what is still kept: the content of each goes within minutes'),
  }),
  result: z.object({
    totalCount: z.number().int(),
    latestSeq,
    data: z.array(message),
    userDeletedIDs: z.array(messageId).describe('Always empty'),
    inspect: z.object({ query: z.unknown(), tookMS: z.number() }),
  }),
  errors: ['ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'INVALID_QUERY'],
  extension: true,
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

export const inspectThread = operation({
  ...listThread,
  id: 'inspectThread',
  conversations: true,
  path: '/admin/messages/:id/thread',
  tag: 'Administration',
  summary: 'A page of the thread about a message, without being a member',
  description:
    'As GET /messages/{id}/thread; nothing is hidden that a user deleted for themselves. Deleted and expired messages are stubs.',
  access: 'admin',
  scope: 'messages:read',
  errors: ['ROOM_NOT_FOUND', 'MESSAGE_NOT_FOUND', 'INVALID_QUERY'],
})

export const inspectPins = operation({
  id: 'inspectPins',
  method: 'GET',
  path: '/admin/rooms/:id/pins',
  tag: 'Administration',
  summary: 'The pinned messages of a room, the newest first',
  access: 'admin',
  scope: 'messages:read',
  conversations: true,
  form: 'envelope',
  params,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(50).default(20),
    beforeSeq: z.coerce.number().int().min(1).optional().describe('`beforeSeq` of the page before'),
  }),
  result: z.object({
    data: z.array(message),
    beforeSeq: z.number().int().optional().describe('Of the next page; absent on the last one'),
  }),
  errors: ['ROOM_NOT_FOUND', 'INVALID_QUERY'],
  extension: true,
  example: { query: { limit: 20 }, result: { data: [{ ...exampleMessage, pinned: true }] } },
})

export const inspectBans = operation({
  id: 'inspectBans',
  method: 'GET',
  path: '/admin/rooms/:id/bans',
  tag: 'Administration',
  summary: 'The bans in force in a room, the oldest first',
  access: 'admin',
  scope: 'moderation:read',
  form: 'envelope',
  params,
  query: optionalPage,
  result: z.array(ban),
  errors: ['ROOM_NOT_FOUND', 'INVALID_QUERY'],
  extension: true,
  example: { result: [{ ...exampleBlock, room: 'demo-room' }] },
})

export const inspectRoomsOfUser = operation({
  id: 'inspectRoomsOfUser',
  method: 'GET',
  path: '/admin/clients/:client_id/rooms',
  tag: 'Administration',
  summary: 'The rooms of a user with unread counts and roles, the latest message first',
  access: 'admin',
  scope: 'users:read',
  form: 'envelope',
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
  extension: true,
  example: {
    query: { limit: 50 },
    result: { totalCount: 1, data: [{ ...exampleListed, role: 'member', unread: 3, muted: false }] },
  },
})
