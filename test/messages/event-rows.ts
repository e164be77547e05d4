import type { Socket } from 'socket.io-client'
import { reminded } from './reminded.ts'

export type Who = 'alice' | 'bob' | 'robot' | 'stranger'
export type Fields = Record<string, unknown>

/** A connected device; half of them use base64. */
export interface Device {
  name: string
  user: Who
  socket: Socket
  events: { event: string; payload: unknown }[]
}

/** A row's own data: a room with alice (owner), bob and robot, and a message of bob. */
export interface Scene {
  room: string
  message: string
  /** Calls as a user from their first device, with the header IM-DEVICE-ID. */
  as: (user: Who, method: string, path: string, body?: unknown) => Promise<Fields>
  admin: (method: string, path: string, body?: unknown) => Promise<Fields>
  emit: (user: Who, event: string, body: unknown) => Promise<Fields>
}

export interface Row {
  event: string
  operation: string
  /** Runs before the operation. */
  prepare?: (scene: Scene) => Promise<unknown>
  /** Runs the operation; returns the exact payload. */
  act(scene: Scene): Promise<unknown>
  /** The names of all devices that get the event. */
  reaches: string[]
  /** Rows of the interface that this proves, besides those about the payload. */
  proves?: string[]
}

export const everyone = ['alice 1', 'alice 2', 'bob 1', 'bob 2', 'robot 1']
const path = encodeURIComponent

/** The message from the history, which equals that in its events. */
async function stored(scene: Scene, id: unknown): Promise<unknown> {
  const { data } = (await scene.as('alice', 'GET', `/rooms/${path(scene.room)}/messages/v3?limit=500`)) as {
    data: Fields[]
  }
  return data.find(({ _id }) => _id === id)
}

async function sent(scene: Scene, answer: Promise<Fields>): Promise<unknown> {
  return stored(scene, (await answer)['_id'])
}

/** A room as all of its members see it, without personal fields. */
async function room(scene: Scene): Promise<unknown> {
  const {
    unread: _u,
    muted: _m,
    pref: _p,
    lastMessage: _l,
    ...shown
  } = await scene.as('alice', 'GET', `/rooms/${scene.room}`)
  return shown
}

/** Every event of the interface, with the operations that emit it and the devices that get it. */
export const rows: Row[] = [
  {
    event: 'chat message',
    operation: 'POST /messages',
    act: (scene) =>
      sent(
        scene,
        scene.admin('POST', '/messages', { room: scene.room, sender: 'alice', message: { a: 'ü' }, messageType: 'x' }),
      ),
    reaches: everyone,
    proves: ['a room receives a new message'],
  },
  {
    event: 'chat message',
    operation: 'POST /rooms/{id}/message',
    act: (scene) =>
      sent(scene, scene.as('bob', 'POST', `/rooms/${scene.room}/message`, { message: 1, messageType: 'n' })),
    reaches: everyone,
  },
  {
    event: 'chat message',
    operation: 'the emit chat message',
    act: (scene) =>
      sent(scene, scene.emit('alice', 'chat message', { room: scene.room, message: 'hi', messageType: 'text' })),
    reaches: everyone,
    proves: ['also for the user’s own messages sent from another device'],
  },
  {
    event: 'thread message',
    operation: 'POST /messages with thread',
    act: async (scene) => {
      const reply = { replyTo: scene.message, thread: true }
      await scene.admin('POST', '/messages', {
        room: scene.room,
        sender: 'alice',
        message: 'r',
        messageType: 'x',
        ...reply,
      })
      const { data } = (await scene.as('bob', 'GET', `/messages/${scene.message}/thread`)) as { data: Fields[] }
      return data[0]
    },
    reaches: everyone,
  },
  {
    event: 'messageUpdated',
    operation: 'editing by POST /rooms/{id}/message with _id',
    act: (scene) => {
      const edit = { _id: scene.message, message: 'edited' }
      return sent(scene, scene.as('bob', 'POST', `/rooms/${scene.room}/message`, edit))
    },
    reaches: everyone,
  },
  {
    event: 'messageUpdated',
    operation: 'recalling',
    act: (scene) => {
      const recall = { _id: scene.message, messageType: 'recall' }
      return sent(scene, scene.as('bob', 'POST', `/rooms/${scene.room}/message`, recall))
    },
    reaches: everyone,
  },
  {
    event: 'messageUpdated',
    operation: 'POST /messages/{id}/reaction',
    act: (scene) => sent(scene, scene.as('alice', 'POST', `/messages/${scene.message}/reaction`, { reaction: '👍' })),
    reaches: everyone,
  },
  {
    event: 'messageUpdated',
    operation: 'POST /messages/{id}/pin',
    act: (scene) => sent(scene, scene.as('alice', 'POST', `/messages/${scene.message}/pin`)),
    reaches: everyone,
  },
  {
    event: 'messageDeleted',
    operation: 'DELETE /rooms/{roomID}/messages/{messageID}',
    act: async (scene) => {
      await scene.as('alice', 'DELETE', `/rooms/${scene.room}/messages/${scene.message}`)
      return { room: scene.room, messageID: scene.message }
    },
    reaches: everyone,
    proves: ['a super-user deletes a message; to all room members'],
  },
  {
    event: 'messageDeleted',
    operation: 'DELETE /rooms/{roomID}/messages/_all',
    act: async (scene) => {
      const { createdAtMS } = (await stored(scene, scene.message)) as Fields
      await scene.admin('DELETE', `/rooms/${scene.room}/messages/_all`)
      return { room: scene.room, messageID: '_all', upToSeq: 1, upToMS: createdAtMS }
    },
    reaches: everyone,
    proves: ['messageID _all: all messages in the room'],
  },
  {
    event: 'userDeleteMessages',
    operation: 'POST /messages/user-delete',
    act: async (scene) => {
      await scene.as('alice', 'POST', '/messages/user-delete', { room: scene.room, messages: [scene.message] })
      return { room: scene.room, messages: [scene.message], isUserDeleteAllMessagesInRoom: false }
    },
    reaches: ['alice 1', 'alice 2'],
    proves: ['the user deletes messages; to that user only'],
  },
  {
    event: 'userDeleteMessages',
    operation: 'POST /messages/user-delete/all-in-room',
    act: async (scene) => {
      await scene.as('alice', 'POST', '/messages/user-delete/all-in-room', { room: scene.room })
      return { room: scene.room, messages: [], isUserDeleteAllMessagesInRoom: true, upToSeq: 1 }
    },
    reaches: ['alice 1', 'alice 2'],
  },
  {
    event: 'room',
    operation: 'PUT /rooms/{id}',
    act: async (scene) => {
      await scene.as('alice', 'PUT', `/rooms/${scene.room}`, { name: 'New ü', roomTags: ['t'] })
      return room(scene)
    },
    reaches: everyone,
    proves: ['the name changes', 'settings change'],
  },
  {
    event: 'room',
    operation: 'POST /rooms/{id}/members',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/rooms/${scene.room}/members`, { invitees: ['stranger'] })
      return room(scene)
    },
    reaches: [...everyone, 'stranger 1'],
    proves: ['members change'],
  },
  {
    event: 'room',
    operation: 'POST /rooms/{id}/delete/members',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/rooms/${scene.room}/delete/members`, { members: ['bob'] })
      return room(scene)
    },
    reaches: ['alice 1', 'alice 2', 'robot 1'],
  },
  {
    event: 'room',
    operation: 'PUT /rooms/{id}/member/{client}',
    act: async (scene) => {
      await scene.as('alice', 'PUT', `/rooms/${scene.room}/member/bob`, { property: 'role', value: 'admin' })
      return room(scene)
    },
    reaches: everyone,
  },
  {
    event: 'room',
    operation: 'DELETE /rooms/{id}',
    act: async (scene) => ({
      ...((await room(scene)) as Fields),
      ...(await scene.as('alice', 'DELETE', `/rooms/${scene.room}`)),
    }),
    reaches: everyone,
  },
  {
    event: 'lastRead',
    operation: 'PUT /rooms/:id/lastRead',
    act: async (scene) => {
      await scene.as('alice', 'PUT', `/rooms/${scene.room}/lastRead`, { message: scene.message })
      return { roomID: scene.room, memberID: 'alice', messageID: scene.message }
    },
    reaches: everyone,
    proves: ['a member calls PUT /rooms/:id/lastRead; to all room members'],
  },
  {
    event: 'threadLastRead',
    operation: 'PUT /messages/{id}/thread/lastRead',
    prepare: async (scene) => {
      const reply = { room: scene.room, message: 'r', messageType: 'x', replyTo: scene.message, thread: true }
      for (const sender of ['alice', 'bob']) await scene.admin('POST', '/messages', { ...reply, sender })
    },
    act: async (scene) => {
      const { data } = (await scene.as('alice', 'GET', `/messages/${scene.message}/thread`)) as { data: Fields[] }
      const messageID = data.find(({ sender }) => (sender as Fields)['_id'] === 'bob')?.['_id']
      await scene.as('alice', 'PUT', `/messages/${scene.message}/thread/lastRead`, { message: messageID })
      return { roomID: scene.room, threadOf: scene.message, messageID, unread: 0 }
    },
    reaches: ['alice 2'],
  },
  {
    event: 'delivered',
    operation: 'the emit delivered',
    act: async (scene) => {
      await scene.emit('alice', 'delivered', { room: scene.room, message: scene.message })
      return { roomID: scene.room, members: [{ memberID: 'alice', messageID: scene.message, seq: 1 }] }
    },
    reaches: ['bob 1', 'bob 2'],
  },
  {
    event: 'lastRead',
    operation: 'the emit lastRead',
    act: async (scene) => {
      await scene.emit('alice', 'lastRead', { room: scene.room, message: scene.message })
      return { roomID: scene.room, memberID: 'alice', messageID: scene.message }
    },
    reaches: everyone,
  },
  {
    event: 'typing',
    operation: 'POST /rooms/{id}/typing',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/rooms/${scene.room}/typing`, { message: 'Hel' })
      return { room: scene.room, message: 'Hel', sender: 'alice' }
    },
    reaches: ['bob 1', 'bob 2', 'robot 1'],
    proves: ['a member is typing'],
  },
  {
    event: 'typing',
    operation: 'the emit typing',
    act: async (scene) => {
      await scene.emit('bob', 'typing', { room: scene.room, message: '' })
      return { room: scene.room, message: '', sender: 'bob' }
    },
    reaches: ['alice 1', 'alice 2', 'robot 1'],
  },
  {
    event: 'ai_streaming',
    operation: 'POST /rooms/{id}/aiStreaming',
    act: async (scene) => {
      await scene.admin('POST', `/rooms/${scene.room}/aiStreaming`, { sender: 'robot', text: 'Once' })
      return { room: scene.room, sender: 'robot', text: 'Once' }
    },
    reaches: everyone,
    proves: ['an AI message is streamed in chunks'],
  },
  {
    event: 'ai_streaming',
    operation: 'the emit ai_streaming',
    act: async (scene) => {
      await scene.emit('robot', 'ai_streaming', { room: scene.room, text: 'upon' })
      return { room: scene.room, sender: 'robot', text: 'upon' }
    },
    reaches: everyone,
  },
  {
    event: 'invitation',
    operation: 'POST /rooms/{id}/members with invitationRequired',
    act: async (scene) => {
      const invitees = { invitees: ['stranger'], invitationRequired: true }
      const { invitations } = await scene.as('alice', 'POST', `/rooms/${scene.room}/members`, invitees)
      return (invitations as unknown[])[0]
    },
    reaches: ['stranger 1'],
    proves: ['a group invitation is received'],
  },
  {
    event: 'removedFromRoom',
    operation: 'POST /rooms/{id}/delete/members',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/rooms/${scene.room}/delete/members`, { members: ['bob'] })
      return { room: scene.room, by: 'alice' }
    },
    reaches: ['bob 1', 'bob 2'],
  },
  {
    event: 'removedFromRoom',
    operation: 'POST /rooms/{id}/delete/members by the API key',
    act: async (scene) => {
      await scene.admin('POST', `/rooms/${scene.room}/delete/members`, { members: ['bob'] })
      return { room: scene.room, by: null }
    },
    reaches: ['bob 1', 'bob 2'],
  },
  {
    event: 'roomPref',
    operation: 'POST /roomPrefs/{room}',
    act: (scene) => scene.as('alice', 'POST', `/roomPrefs/${scene.room}`, { sticky: true, tags: ['ü'] }),
    reaches: ['alice 2'],
    proves: ['the user changes a room preference on one device; to the user’s other devices'],
  },
  {
    event: 'roomPref',
    operation: 'POST /me/mute/{room}',
    act: async (scene) => {
      await scene.as('alice', 'POST', `/me/mute/${scene.room}`)
      const { pref } = await scene.as('alice', 'GET', `/rooms/${scene.room}`)
      return { room: scene.room, ...(pref as Fields) }
    },
    reaches: ['alice 2'],
  },
  {
    event: 'reminder',
    operation: 'POST /me/reminders',
    act: (scene) => reminded(scene, scene.message),
    reaches: ['alice 1', 'alice 2'],
  },
  {
    event: 'notificationSettings',
    operation: 'PUT /me/notifications/rooms/{room}',
    act: async (scene) => {
      const settings = { level: 'mentions', muteUntilMS: 1 }
      await scene.as('alice', 'PUT', `/me/notifications/rooms/${scene.room}`, settings)
      return { room: scene.room, settings }
    },
    reaches: ['alice 2'],
  },
  {
    event: 'myPrefChange',
    operation: 'POST /me/pref/{key}',
    act: async (scene) => {
      await scene.as('alice', 'POST', '/me/pref/theme', { data: { dark: true } })
      return { data: { dark: true }, key: 'theme' }
    },
    reaches: ['alice 2'],
    proves: ['the user changes a personal preference; to the user’s other devices'],
  },
  {
    event: 'myPrefDelete',
    operation: 'DELETE /me/pref/{key}',
    prepare: (scene) => scene.as('alice', 'POST', '/me/pref/gone', { data: 1 }),
    act: async (scene) => {
      await scene.as('alice', 'DELETE', '/me/pref/gone')
      return 'gone'
    },
    reaches: ['alice 2'],
    proves: ['the user deletes a personal preference; to the user’s other devices'],
  },
]

/** Whether an event belongs to the row's room, and not to another test. */
export function concerns(payload: unknown, scene: Scene, { event }: Row): boolean {
  if (event === 'myPrefChange' || event === 'myPrefDelete') return true
  const { room, roomID, _id } = payload as Fields
  return [room, roomID, event === 'room' ? _id : undefined].includes(scene.room)
}
