import { z } from 'zod'
import { roomId, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { invitation } from '../../resources/invitation.ts'
import { room } from '../../resources/room.ts'
import { sender } from '../../resources/sender.ts'
import { exampleRoom, exampleSender } from '../examples.ts'

/** Maximum number of members of a group. */
export const maxMembers = 100_000

const params = z.object({ id: roomId })
const systemMessage = z.boolean().optional().describe('Also write a system message')
const users = z.array(userId).min(1).max(maxMembers)

export const listMembers = operation('listMembers', 'GET /rooms/:id/members', {
  tag: 'Members',
  summary: 'List the members of a room, earliest joined first',
  access: 'client-or-admin',
  scope: 'rooms:read',
  params,
  query: z.object({
    skip: z.coerce.number().int().min(0).default(0),
    limit: z.coerce.number().int().min(1).max(500).default(50),
  }),
  result: z.object({
    totalCount: z.number().int(),
    data: z.array(
      z.object({
        ...sender.shape,
        readSeq: z
          .number()
          .int()
          .describe('`seq` of the last message that the member has read, or of the last one before they joined'),
        deliveredSeq: z.number().int().describe('`seq` of the last message that the member has reported as delivered'),
      }),
    ),
  }),
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND'],
  example: {
    query: { limit: 50 },
    result: { totalCount: 1, data: [{ ...exampleSender, readSeq: 11, deliveredSeq: 12 }] },
  },
})

export const addMembers = operation('addMembers', 'POST /rooms/:id/members', {
  tag: 'Members',
  summary: 'Add members to a group, or invite them',
  description:
    'With invitationRequired, each invitee gets the event invitation and may join. Without it, they become members immediately, and room is emitted to all members. In a closed room, only the owner, managers, platform admins and the API key may do this, or every member if there is neither owner nor manager.',
  access: 'client-or-admin',
  scope: 'rooms:write',
  audit: auditsParam('room', 'id'),
  params,
  body: z.strictObject({
    invitees: users.describe('User IDs; a user group stands for its members'),
    systemMessage,
    invitationRequired: z.boolean().optional(),
  }),
  result: z.object({ ...room.shape, invitations: z.array(invitation).optional() }),
  errors: [
    'NOT_ROOM_MEMBER',
    'ROOM_NOT_FOUND',
    'CLIENT_NOT_FOUND',
    'ROOM_CLOSED',
    'USER_BLOCKED',
    'INSUFFICIENT_PERMISSIONS',
  ],
  example: { body: { invitees: ['alice'] }, result: exampleRoom },
})

export const joinRoom = operation('joinRoom', 'POST /rooms/:id/join', {
  tag: 'Members',
  summary: 'Join an open group, or one that invited the caller',
  access: 'client',
  params,
  body: z.strictObject({ systemMessage }),
  result: room,
  errors: ['ROOM_NOT_FOUND', 'ROOM_CLOSED', 'USER_BLOCKED'],
  example: { body: {}, result: exampleRoom },
})

const exampleInvitation = {
  _id: '66f0c1a2b3c4d5e6f7a8b9c0',
  inviter: 'alice',
  invitee: 'bob',
  room: 'demo-room',
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
}

export const listInvitations = operation('listInvitations', 'GET /invitations', {
  tag: 'Members',
  summary: 'List the caller’s open invitations, newest first',
  access: 'client',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(100).default(50),
    cursor: z
      .string()
      .regex(/^[0-9a-f]{24}$/, 'expected the cursor of a page')
      .optional()
      .describe('`cursor` of the previous page'),
  }),
  result: z.object({
    data: z.array(invitation),
    cursor: z.string().optional().describe('For the next page; absent on the last one'),
  }),
  errors: ['INVALID_QUERY'],
  example: { query: { limit: 50 }, result: { data: [{ ...exampleInvitation, roomName: 'Friends' }] } },
})

export const declineInvitation = operation('declineInvitation', 'DELETE /rooms/:id/invitations', {
  tag: 'Members',
  summary: 'Decline an invitation',
  access: 'client',
  params,
  result: invitation,
  errors: ['INVITATION_NOT_FOUND'],
  example: { result: exampleInvitation },
})

export const removeMembers = operation('removeMembers', 'POST /rooms/:id/delete/members', {
  tag: 'Members',
  summary: 'Leave a group, or remove members from it',
  description:
    'The owner, managers, platform admins and the API key may remove others. Emits room to the remaining members.',
  access: 'client-or-admin',
  scope: 'rooms:write',
  audit: auditsParam('room', 'id'),
  params,
  body: z.strictObject({
    members: users.describe('User IDs; a user group stands for its members in the room'),
    systemMessage,
  }),
  result: room,
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'CLIENT_NOT_FOUND', 'USER_BLOCKED', 'INSUFFICIENT_PERMISSIONS'],
  example: { body: { members: ['bob'] }, result: exampleRoom },
})

export const setMemberRole = operation('setMemberRole', 'PUT /rooms/:id/member/:client', {
  tag: 'Members',
  summary: 'Promote a member to manager, or demote a manager',
  description: 'For the owner, platform admins and the API key. Emits room to all members.',
  access: 'client-or-admin',
  scope: 'rooms:write',
  audit: auditsParam('room', 'id'),
  params: z.object({ id: roomId, client: userId }),
  body: z.strictObject({ property: z.literal('role'), value: z.enum(['admin', 'member']) }),
  result: room,
  errors: ['NOT_ROOM_MEMBER', 'ROOM_NOT_FOUND', 'CLIENT_NOT_FOUND', 'USER_BLOCKED', 'INSUFFICIENT_PERMISSIONS'],
  example: { body: { property: 'role', value: 'admin' }, result: exampleRoom },
})
