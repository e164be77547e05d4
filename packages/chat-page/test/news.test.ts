import assert from 'node:assert/strict'
import type { Client, ConnectionState, Message, ServerEvents } from '@parley/client'
import type { ThreadInfo } from '@parley/client/threads'
import { describe, test } from 'vitest'
import { onNews, type UserSettings } from '../src/state/news.ts'
import { createValue } from '../src/state/value.ts'

describe('notifications', () => {
  function listening(ofUser: UserSettings = {}) {
    const listeners = new Map<string, (payload: never) => void>()
    const connection = createValue<ConnectionState>({ status: 'connecting' })
    const rooms = [{ _id: 'room' }, { _id: 'muted', muted: true }, { _id: 'quiet', pref: { muted: true } }]
    const notifications = { level: 'mentions', types: [{ messageType: 'image', level: 'all' }] }
    const settings = [
      { _id: 'mentions', notifications },
      { _id: 'for now', notifications: { muteUntilMS: Date.now() + 60_000 } },
    ]
    const client = {
      connection,
      rooms: createValue([...rooms, ...settings]),
      me: createValue({ _id: 'alice' }),
      on: (event: keyof ServerEvents, listener: (payload: never) => void) => {
        listeners.set(event, listener)
        return () => undefined
      },
    } as unknown as Client
    const threads = { list: createValue([{ root: { _id: 'mine' } }] as ThreadInfo[]) }
    const heard: string[] = []
    onNews({ client, threads, settings: () => ofUser }, ({ _id }) => heard.push(_id))
    const say = (_id: string, { room = 'room', sender = 'bob', ...more } = {}, event = 'chat message') => {
      const message = { _id, room, sender: { _id: sender }, ...more } as unknown as Message
      listeners.get(event)?.(message as never)
    }
    return { connection, heard, say }
  }

  test('cover messages sent from now on, not those missed or replayed at login', () => {
    const { connection, heard, say } = listening()
    connection.set({ status: 'online' })
    say('first')
    connection.set({ status: 'connecting' })
    say('first')
    say('missed')
    connection.set({ status: 'syncing' })
    say('while the rooms are read')
    connection.set({ status: 'online' })
    say('second')
    assert.deepEqual(heard, ['first', 'while the rooms are read', 'second'])
  })

  test("cover messages of others in unmuted rooms and in the user's threads", () => {
    const { connection, heard, say } = listening()
    connection.set({ status: 'online' })
    say('own', { sender: 'alice' })
    say('muted', { room: 'muted' })
    say('quiet', { room: 'quiet' })
    say('muted, by name', { room: 'muted', mentions: ['alice'] } as object)
    say('plain', { room: 'mentions', messageType: 'text' } as object)
    say('of a type', { room: 'mentions', messageType: 'image' } as object)
    say('to all', { room: 'mentions', mentions: ['@room'] } as object)
    say('for now', { room: 'for now' })
    say('unknown', { room: 'unknown' })
    say('in my thread', { threadOf: 'mine' } as object, 'thread message')
    say('in another', { threadOf: 'another' } as object, 'thread message')
    say('for me', { threadOf: 'another', mentions: ['alice'] } as object, 'thread message')
    assert.deepEqual(heard, ['muted, by name', 'of a type', 'to all', 'in my thread', 'for me'])
  })

  test("follow the user's own levels, mutes and quiet hours, which a room's level overrides", () => {
    const allDay = { timeZone: 'UTC', times: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }] }
    const cases: [UserSettings, string[]][] = [
      [{ level: 'none' }, ['in a room of its own level']],
      [{ level: 'mentions' }, ['by name', 'in a room of its own level']],
      [{ muteUntilMS: Date.now() + 60_000 }, ['by name', 'in a room of its own level']],
      [{ doNotDisturb: allDay }, []],
    ]
    for (const [settings, expected] of cases) {
      const { connection, heard, say } = listening(settings)
      connection.set({ status: 'online' })
      say('plain')
      say('by name', { mentions: ['alice'] } as object)
      say('in a room of its own level', { room: 'mentions', mentions: ['alice'] } as object)
      assert.deepEqual(heard, expected, JSON.stringify(settings))
    }
  })
})
