import { z } from 'zod'
import { deviceHeader } from '../../headers.ts'
import { messageId, roomId, userId } from '../../ids.ts'
import { auditsParam, operation } from '../../operation.ts'
import {
  roomNotifications,
  threadNotifications,
  userNotifications,
} from '../../resources/push/notification-settings.ts'

const shared = { tag: 'Preferences' } as const
const ofUser = z.object({ uid: userId })
const ofRoom = z.object({ room: roomId })
const ofThread = z.object({ id: messageId.describe('The root of the thread, or one of its messages') })
const inRoom = ['ROOM_NOT_FOUND', 'NOT_ROOM_MEMBER'] as const
const inThread = ['MESSAGE_NOT_FOUND', ...inRoom, 'NOT_IN_THREAD'] as const
const replaces = 'Replaces all settings: absent fields are removed.'

const exampleUserSettings = {
  level: 'mentions',
  doNotDisturb: { timeZone: 'Europe/Berlin', times: [{ days: [1, 2, 3, 4, 5], from: '22:00', to: '07:00' }] },
} as const
const exampleRoomSettings = { level: 'none', types: [{ messageType: 'announcement', level: 'all' as const }] } as const

export const getMyNotifications = operation('getMyNotifications', 'GET /me/notifications', {
  ...shared,
  access: 'client',
  summary: "Get the caller's notification settings",
  result: userNotifications,
  example: { result: exampleUserSettings },
})

export const setMyNotifications = operation('setMyNotifications', 'PUT /me/notifications', {
  ...shared,
  access: 'client',
  summary: "Set the caller's notification settings; emits notificationSettings to the other devices",
  description: replaces,
  headers: deviceHeader,
  body: z.strictObject(userNotifications.shape),
  result: userNotifications,
  example: { body: exampleUserSettings, result: exampleUserSettings },
})

export const getMyRoomNotifications = operation('getMyRoomNotifications', 'GET /me/notifications/rooms/:room', {
  ...shared,
  access: 'client',
  summary: "Get the caller's notification settings for a room",
  params: ofRoom,
  result: roomNotifications,
  errors: inRoom,
  example: { result: exampleRoomSettings },
})

export const setMyRoomNotifications = operation('setMyRoomNotifications', 'PUT /me/notifications/rooms/:room', {
  ...shared,
  access: 'client',
  summary: "Set the caller's notification settings for a room; emits notificationSettings to the other devices",
  description: replaces,
  params: ofRoom,
  headers: deviceHeader,
  body: z.strictObject(roomNotifications.shape),
  result: roomNotifications,
  errors: inRoom,
  example: { body: exampleRoomSettings, result: exampleRoomSettings },
})

export const getMyThreadNotifications = operation('getMyThreadNotifications', 'GET /me/notifications/threads/:id', {
  ...shared,
  access: 'client',
  summary: "Get the caller's notification settings for a thread in which they participate",
  params: ofThread,
  result: threadNotifications,
  errors: inThread,
  example: { result: { level: 'mentions' } },
})

export const setMyThreadNotifications = operation('setMyThreadNotifications', 'PUT /me/notifications/threads/:id', {
  ...shared,
  access: 'client',
  summary: "Set the caller's notification settings for a thread; emits notificationSettings to the other devices",
  description: replaces,
  params: ofThread,
  headers: deviceHeader,
  body: z.strictObject(threadNotifications.shape),
  result: threadNotifications,
  errors: inThread,
  example: { body: { level: 'mentions' }, result: { level: 'mentions' } },
})

export const getNotifications = operation('getNotifications', 'GET /admin/clients/:uid/notifications', {
  ...shared,
  access: 'admin',
  scope: 'users:read',
  summary: 'Get the notification settings of a user',
  params: ofUser,
  result: userNotifications,
  errors: ['CLIENT_NOT_FOUND'],
  example: { result: exampleUserSettings },
})

export const setNotifications = operation('setNotifications', 'PUT /admin/clients/:uid/notifications', {
  ...shared,
  access: 'admin',
  scope: 'users:write',
  summary: 'Set the notification settings of a user; emits notificationSettings to their devices',
  description: replaces,
  audit: auditsParam('user', 'uid'),
  params: ofUser,
  body: z.strictObject(userNotifications.shape),
  result: userNotifications,
  errors: ['CLIENT_NOT_FOUND'],
  example: { body: exampleUserSettings, result: exampleUserSettings },
})

export const getRoomNotifications = operation(
  'getRoomNotifications',
  'GET /admin/clients/:uid/notifications/rooms/:room',
  {
    ...shared,
    access: 'admin',
    scope: 'users:read',
    summary: 'Get the notification settings of a user for a room',
    params: ofUser.extend(ofRoom.shape),
    result: roomNotifications,
    errors: inRoom,
    example: { result: exampleRoomSettings },
  },
)

export const setRoomNotifications = operation(
  'setRoomNotifications',
  'PUT /admin/clients/:uid/notifications/rooms/:room',
  {
    ...shared,
    access: 'admin',
    scope: 'users:write',
    summary: 'Set the notification settings of a user for a room; emits notificationSettings to their devices',
    description: replaces,
    audit: auditsParam('user', 'uid'),
    params: ofUser.extend(ofRoom.shape),
    body: z.strictObject(roomNotifications.shape),
    result: roomNotifications,
    errors: inRoom,
    example: { body: exampleRoomSettings, result: exampleRoomSettings },
  },
)
