import assert from 'node:assert/strict'
import type { Client, ConnectionState, Message, ServerEvents } from '@parley/client'
import type { ThreadInfo } from '@parley/client/threads'
import { describe, test } from 'vitest'
import { plainConfig } from '../src/state/chat-config.ts'
import { onNotifiable, type Settings } from '../src/state/notifiable.ts'
import { createValue } from '../src/state/value.ts'

describe('notifications', () => {
  function listening(ofUser: Settings = {}, ofThread: Settings = {}, ofApp = plainConfig.levels) {
    const listeners = new Map<string, (payload: never) => void>()
    const connection = createValue<ConnectionState>({ status: 'connecting' })
    const rooms = [
      { _id: 'room', roomType: 'group' },
      { _id: 'muted', muted: true },
      { _id: 'quiet', pref: { muted: true } },
    ]
    const notifications = { level: 'mentions', types: [{ messageType: 'image', level: 'all' }] }
    const withSettings = [
      { _id: 'mentions', notifications },
      { _id: 'for now', notifications: { muteUntilMS: Date.now() + 60_000 } },
    ]
    const client = {
      connection,
      rooms: createValue([...rooms, ...withSettings]),
      me: createValue({ _id: 'alice' }),
      on: (event: keyof ServerEvents, listener: (payload: never) => void) => {
        listeners.set(event, listener)
        return () => undefined
      },
    } as unknown as Client
    const threads = { list: createValue([{ root: { _id: 'mine' } }] as ThreadInfo[]) }
    const heard: string[] = []
    const config = createValue({ ...plainConfig, levels: ofApp })
    const settings = async (threadOf?: string) => (threadOf === undefined ? ofUser : ofThread)
    onNotifiable({ client, threads, config, settings }, ({ _id }) => heard.push(_id))
    const say = async (_id: string, { room = 'room', sender = 'bob', ...more } = {}, event = 'chat message') => {
      const message = { _id, room, sender: { _id: sender }, ...more } as unknown as Message
      listeners.get(event)?.(message as never)
      await new Promise(setImmediate)
    }
    return { connection, heard, say }
  }

  test('cover messages sent from now on, not those missed or replayed at login', async () => {
    const { connection, heard, say } = listening()
    connection.set({ status: 'online' })
    await say('first')
    connection.set({ status: 'connecting' })
    await say('first')
    await say('missed')
    connection.set({ status: 'syncing' })
    await say('while the rooms are read')
    connection.set({ status: 'online' })
    await say('second')
    assert.deepEqual(heard, ['first', 'while the rooms are read', 'second'])
  })

  test("cover messages of others in unmuted rooms and in the user's threads", async () => {
    const { connection, heard, say } = listening()
    connection.set({ status: 'online' })
    await say('own', { sender: 'alice' })
    await say('muted', { room: 'muted' })
    await say('quiet', { room: 'quiet' })
    await say('muted, by name', { room: 'muted', mentions: ['alice'] } as object)
    await say('plain', { room: 'mentions', messageType: 'text' } as object)
    await say('of a type', { room: 'mentions', messageType: 'image' } as object)
    await say('to all', { room: 'mentions', mentions: ['@room'] } as object)
    await say('for now', { room: 'for now' })
    await say('unknown', { room: 'unknown' })
    await say('in my thread', { threadOf: 'mine' } as object, 'thread message')
    await say('in another', { threadOf: 'another' } as object, 'thread message')
    await say('for me', { threadOf: 'another', mentions: ['alice'] } as object, 'thread message')
    assert.deepEqual(heard, ['muted, by name', 'of a type', 'to all', 'in my thread', 'for me'])
  })

  test("follow the user's own levels, mutes and quiet hours, which a room's level overrides", async () => {
    const allDay = { timeZone: 'UTC', times: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '00:00', to: '00:00' }] }
    const cases: [Settings, string[]][] = [
      [{ level: 'none' }, ['in a room of its own level']],
      [{ level: 'mentions' }, ['by name', 'in a room of its own level']],
      [{ muteUntilMS: Date.now() + 60_000 }, ['by name', 'in a room of its own level']],
      [{ doNotDisturb: allDay }, []],
    ]
    for (const [settings, expected] of cases) {
      const { connection, heard, say } = listening(settings)
      connection.set({ status: 'online' })
      await say('plain')
      await say('by name', { mentions: ['alice'] } as object)
      await say('in a room of its own level', { room: 'mentions', mentions: ['alice'] } as object)
      assert.deepEqual(heard, expected, JSON.stringify(settings))
    }
  })

  test("follow the app's default levels, and a thread's own level and mute", async () => {
    const mutedUntil = { muteUntilMS: Date.now() + 60_000 }
    const cases: [Settings, Settings, string[]][] = [
      [{}, {}, ['by name']],
      [{ level: 'all' }, {}, ['plain', 'by name', 'in my thread']],
      [{}, { level: 'all' }, ['by name', 'in my thread']],
      [{ level: 'all' }, { level: 'none' }, ['plain', 'by name']],
      [{ level: 'all' }, mutedUntil, ['plain', 'by name']],
    ]
    for (const [ofUser, ofThread, expected] of cases) {
      const { connection, heard, say } = listening(ofUser, ofThread, { group: 'mentions' })
      connection.set({ status: 'online' })
      await say('plain')
      await say('by name', { mentions: ['alice'] } as object)
      await say('in my thread', { threadOf: 'mine' } as object, 'thread message')
      assert.deepEqual(heard, expected, JSON.stringify([ofUser, ofThread]))
    }
  })
})
