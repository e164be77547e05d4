import { z } from 'zod'
import { isObject } from '../../free-json.ts'
import { deviceHeader } from '../../headers.ts'
import { comparedText, roomId, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import { roomPref } from '../../resources/room-pref.ts'
import { adminUser, user } from '../../resources/user.ts'
import { exampleUser } from '../examples.ts'

const { isAdmin: _isAdmin, ...exampleMe } = exampleUser
const ofUser = z.object({ uid: userId, room: roomId })
const room = z.object({ room: roomId })
const withoutEffect = z.any().optional().meta({ type: 'string', description: 'Accepted and ignored' })

export const unmuteUser = operation('unmuteUser', 'DELETE /admin/clients/:uid/mute/:room', {
  inInterface: true,
  tag: 'Mutes',
  summary: "Remove a room from a user's mute list",
  access: 'admin',
  scope: 'users:write',
  audit: auditsParam('user', 'uid'),
  params: ofUser,
  query: z.object({ limit: withoutEffect, skip: withoutEffect }),
  result: adminUser,
  errors: ['CLIENT_NOT_FOUND', 'ROOM_NOT_FOUND', 'ROOM_NOT_MUTED'],
  example: { result: exampleUser },
})

export const muteUser = operation('muteUser', 'POST /admin/clients/:uid/mute/:room', {
  tag: 'Mutes',
  summary: "Add a room to a user's mute list",
  access: 'admin',
  scope: 'users:write',
  audit: auditsParam('user', 'uid'),
  params: ofUser,
  result: adminUser,
  errors: ['CLIENT_NOT_FOUND', 'ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  example: { result: { ...exampleUser, mute: ['demo-room'] } },
})

export const muteRoom = operation('muteRoom', 'POST /me/mute/:room', {
  tag: 'Mutes',
  summary: 'Mute a room; emits roomPref to the other devices',
  access: 'client',
  params: room,
  headers: deviceHeader,
  result: user,
  errors: ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  example: { result: { ...exampleMe, mute: ['demo-room'] } },
})

export const unmuteRoom = operation('unmuteRoom', 'DELETE /me/mute/:room', {
  tag: 'Mutes',
  summary: 'Unmute a room; emits roomPref to the other devices',
  access: 'client',
  params: room,
  headers: deviceHeader,
  result: user,
  errors: ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER', 'ROOM_NOT_MUTED'],
  example: { result: exampleMe },
})

const tag = comparedText(128).min(1)
const hexColour = /^#(?:[\da-fA-F]{3}|[\da-fA-F]{6}|[\da-fA-F]{8})$/
const colour = z.string().regex(hexColour, 'expected a hex colour like #a0b1c2')
const maxTags = 100
// Not a record: zod would leave out a tag `__proto__`.
const tagColors = z
  .any()
  .superRefine((given: unknown, context) => {
    const refuse = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path })
    if (!isObject(given)) return refuse('expected a colour for each tag')
    const colours = Object.entries(given)
    if (colours.length > maxTags) return refuse(`at most ${maxTags} tags`)
    for (const [name, value] of colours) {
      const { error } = z.tuple([tag, colour]).safeParse([name, value])
      if (error?.issues[0]) return refuse(error.issues[0].message, name)
    }
    return undefined
  })
  .meta({
    type: 'object',
    propertyNames: { minLength: 1, maxLength: 128 },
    additionalProperties: { type: 'string', pattern: hexColour.source },
  })
const examplePref = {
  tags: ['work'],
  tagColors: { work: '#ff0000' },
  hidden: false,
  sticky: true,
  muted: false,
  folder: '',
}

export const setRoomPref = operation('setRoomPref', 'POST /roomPrefs/:room', {
  tag: 'Preferences',
  summary: "Change the caller's preferences for a room; emits roomPref to the other devices",
  access: 'client',
  params: room,
  headers: deviceHeader,
  body: z.strictObject({
    tags: z.array(tag).max(maxTags).optional(),
    tagColors: tagColors.optional(),
    hidden: z.boolean().optional(),
    sticky: z.boolean().optional(),
    muted: z.boolean().optional(),
    folder: comparedText(256).optional(),
  }),
  result: z.object({ room: roomId, ...roomPref.shape }),
  errors: ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'],
  example: { body: { sticky: true }, result: { room: 'demo-room', ...examplePref } },
})
