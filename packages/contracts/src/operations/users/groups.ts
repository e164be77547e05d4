import { z } from 'zod'
import { comparedText, naming, shownName, userId } from '../../ids.ts'
import { auditsField, auditsParam, operation } from '../../operation.ts'
import { ours } from '../../ours.ts'

const groupId = naming('group', userId.describe('User group ID'))

/** A virtual user that stands for its members, not a chat room (docs/reference/users.md#user-groups). */
export const group = z
  .object({ _id: userId, nickname: z.string(), avatarUrl: z.string(), members: z.array(userId) })
  .meta({ id: 'UserGroup' })
export type Group = z.infer<typeof group>

const exampleGroup = { _id: 'support', nickname: 'Support', avatarUrl: '', members: ['alice', 'bob'] }

export const listGroups = operation('listGroups', 'GET /admin/groups', {
  inInterface: true,
  tag: 'Groups',
  summary: 'List user groups',
  access: 'admin',
  scope: 'users:read',
  query: z.object({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    skip: z.coerce.number().int().min(0).default(0).meta(ours),
  }),
  result: z.object({ totalCount: z.number().int(), data: z.array(group) }),
  example: { query: { limit: 50 }, result: { totalCount: 1, data: [exampleGroup] } },
})

export const saveGroup = operation('saveGroup', 'POST /admin/groups', {
  tag: 'Groups',
  summary: 'Create or replace a user group',
  access: 'admin',
  scope: 'users:write',
  audit: auditsField('group', '_id'),
  body: z.strictObject({
    _id: groupId.optional().describe('Generated if absent'),
    nickname: shownName(256).min(1),
    avatarUrl: comparedText(2048).default(''),
    members: z.array(userId).max(10_000).default([]),
  }),
  result: group,
  errors: ['MISSING_PARAMETER', 'CLIENT_NOT_FOUND', 'USER_EXISTS'],
  example: { body: exampleGroup, result: exampleGroup },
})

export const deleteGroup = operation('deleteGroup', 'DELETE /admin/groups/:id', {
  tag: 'Groups',
  summary: 'Delete a user group, but not its members',
  access: 'admin',
  scope: 'users:write',
  audit: auditsParam('group', 'id'),
  params: z.object({ id: groupId }),
  result: z.object({}),
  errors: ['CLIENT_NOT_FOUND'],
  example: { result: {} },
})
