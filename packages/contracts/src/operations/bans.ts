import { z } from 'zod'
import { roomId, userId } from '../ids.ts'
import { operation } from '../operation.ts'
import { ban, block } from '../resources/ban.ts'

// Any string: one that cannot be an ID is a room or user that is missing.
const anyId = z.string().min(1)
const exampleBlock = {
  appID: 'demo',
  blockee: { _id: 'bob', id: 'bob', nickname: 'Bob', avatarUrl: '', lastLoginTimeMS: 1_795_176_000_000 },
  blocker: 'alice',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
}
const exampleBan = { ...exampleBlock, room: 'demo-room' }

export const banMember = operation({
  id: 'banMember',
  method: 'POST',
  path: '/blockStatus/room/:roomID/:blockee',
  tag: 'Moderation',
  summary: 'Ban a user in a room',
  description: 'By a platform admin or the room owner. The banned user keeps reading, and can do nothing else there.',
  access: 'client',
  form: 'envelope',
  params: z.object({ roomID: anyId, blockee: anyId }),
  result: ban,
  errors: ['INSUFFICIENT_PERMISSIONS', 'ROOM_OR_USER_NOT_FOUND', 'USER_ALREADY_BLOCKED'],
  example: { result: exampleBan },
})

export const unbanMember = operation({
  id: 'unbanMember',
  method: 'DELETE',
  path: '/blockStatus/room/:roomID/:blockee',
  tag: 'Moderation',
  summary: 'Lift a ban, by the room owner',
  access: 'client',
  form: 'envelope',
  params: z.object({ roomID: anyId, blockee: userId }),
  invalid: { params: 'INVALID_USER_ID' },
  result: ban,
  errors: ['INSUFFICIENT_PERMISSIONS', 'BLOCK_NOT_FOUND'],
  example: { result: exampleBan },
})

export const listBans = operation({
  id: 'listBans',
  method: 'GET',
  path: '/blockStatus/room/:roomID',
  tag: 'Moderation',
  summary: 'The bans in force in a room, for its members',
  access: 'client',
  form: 'envelope',
  params: z.object({ roomID: roomId }),
  result: z.array(ban),
  errors: ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  extension: true,
  example: { result: [exampleBan] },
})

export const blockUser = operation({
  id: 'blockUser',
  method: 'POST',
  path: '/blockStatus/my/:blockee',
  tag: 'Moderation',
  summary: 'Block a user everywhere',
  description: 'Direct messages from the blocked one are refused, and pushes of messages from them are left out.',
  access: 'client',
  form: 'envelope',
  params: z.object({ blockee: anyId }),
  result: block,
  errors: ['INSUFFICIENT_PERMISSIONS', 'CLIENT_NOT_FOUND', 'USER_ALREADY_BLOCKED'],
  extension: true,
  example: { result: exampleBlock },
})

export const unblockUser = operation({
  id: 'unblockUser',
  method: 'DELETE',
  path: '/blockStatus/my/:blockee',
  tag: 'Moderation',
  summary: 'Lift a personal block',
  access: 'client',
  form: 'envelope',
  params: z.object({ blockee: anyId }),
  result: block,
  errors: ['BLOCK_NOT_FOUND'],
  extension: true,
  example: { result: exampleBlock },
})

export const listBlocks = operation({
  id: 'listBlocks',
  method: 'GET',
  path: '/blockStatus/my',
  tag: 'Moderation',
  summary: 'Whom the caller blocks',
  access: 'client',
  form: 'envelope',
  result: z.array(block),
  errors: [],
  extension: true,
  example: { result: [exampleBlock] },
})
