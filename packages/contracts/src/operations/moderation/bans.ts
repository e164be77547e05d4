import { z } from 'zod'
import { inPath, naming, roomId, timeMS, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { optionalPage } from '../../optional-page.ts'
import { ours } from '../../ours.ts'
import { ban } from '../../resources/ban.ts'
import { exampleBlock } from '../examples.ts'

// Accepts any string: an invalid ID is an unknown room or user.
const anyRoom = naming('room', inPath(z.string().min(1)).describe('Room ID'))
const anyUser = naming('user', inPath(z.string().min(1)).describe('User ID'))
export const banEnd = timeMS.describe('When the ban ends, a future time in Unix milliseconds; default: never')

const exampleBan = { ...exampleBlock, room: 'demo-room' }

export const banMember = operation('banMember', 'POST /blockStatus/room/:roomID/:blockee', {
  inInterface: true,
  tag: 'Moderation',
  summary: 'Ban a user in a room',
  description:
    'For group owners, platform admins and the API key. The banned user can still read and leave the group, and nothing else.',
  access: 'client-or-admin',
  scope: 'moderation:write',
  audit: auditsParam('room', 'roomID'),
  params: z.object({ roomID: anyRoom, blockee: anyUser }),
  body: z.strictObject({ untilMS: banEnd.optional().meta(ours) }),
  result: ban,
  errors: ['INSUFFICIENT_PERMISSIONS', 'USER_BLOCKED', 'ROOM_OR_USER_NOT_FOUND', 'USER_ALREADY_BLOCKED'],
  example: { result: exampleBan },
})

export const unbanMember = operation('unbanMember', 'DELETE /blockStatus/room/:roomID/:blockee', {
  inInterface: true,
  tag: 'Moderation',
  summary: 'Lift a ban, as the room owner or with the API key',
  access: 'client-or-admin',
  scope: 'moderation:write',
  audit: auditsParam('room', 'roomID'),
  params: z.object({ roomID: anyRoom, blockee: userId }),
  invalid: { params: 'INVALID_USER_ID' },
  result: ban,
  errors: ['INSUFFICIENT_PERMISSIONS', 'BLOCK_NOT_FOUND'],
  example: { result: exampleBan },
})

export const listBans = operation('listBans', 'GET /blockStatus/room/:roomID', {
  tag: 'Moderation',
  summary: 'List the active bans in a room, oldest first, for its members',
  access: 'client',
  params: z.object({ roomID: roomId }),
  query: optionalPage,
  result: z.array(ban),
  errors: ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'INVALID_QUERY'],
  example: { result: [exampleBan] },
})
