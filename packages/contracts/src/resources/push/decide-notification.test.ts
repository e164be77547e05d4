import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { decideNotification, type KeptBackBy, type NotificationFacts } from './decide-notification.ts'

const atMS = Date.parse('2026-10-21T20:30:00Z')
const later = atMS + 1
const nothing: NotificationFacts = {
  ...{ roomType: 'group', messageType: 'text', mention: undefined, isMuted: false },
  app: { levels: {} },
  ...{ user: undefined, room: undefined, thread: undefined },
  ...{ isQuiet: () => false, atMS },
}
const appLevels = (levels: NotificationFacts['app']['levels']) => ({ app: { levels } })
const types = (level: 'all' | 'none') => [{ messageType: 'text', level }]

/** Facts that differ from `nothing`, and the setting that suppresses the push. */
const cases: [string, Partial<NotificationFacts>, KeptBackBy | undefined][] = [
  ['without settings', {}, undefined],
  ['level all', { user: { level: 'all' } }, undefined],
  ['level mentions', { user: { level: 'mentions' } }, 'LEVEL_OF_USER'],
  ['level mentions, mentioned by name', { user: { level: 'mentions' }, mention: 'user' }, undefined],
  ['level mentions, mentioned with the room', { user: { level: 'mentions' }, mention: 'room' }, undefined],
  ['level none, mentioned by name', { user: { level: 'none' }, mention: 'user' }, 'LEVEL_OF_USER'],

  ['the app’s level of groups', appLevels({ group: 'mentions' }), 'LEVEL_OF_APP'],
  ['the app’s level of direct rooms, in a group', appLevels({ direct: 'none' }), undefined],
  ['the app’s level of direct rooms, in one', { ...appLevels({ direct: 'none' }), roomType: 'direct' }, 'LEVEL_OF_APP'],
  ['the user takes precedence over the app', { ...appLevels({ group: 'none' }), user: { level: 'all' } }, undefined],
  ['a type takes precedence over the user’s level', { user: { level: 'none', types: types('all') } }, undefined],
  ['a type of the user', { user: { types: types('none') } }, 'LEVEL_OF_TYPE'],
  ['a type of the user that does not match', { user: { types: types('none') }, messageType: 'image' }, undefined],
  [
    'the room takes precedence over types of the user',
    { user: { types: types('none') }, room: { level: 'all' } },
    undefined,
  ],
  ['the room', { room: { level: 'none' } }, 'LEVEL_OF_ROOM'],
  [
    'a type in the room takes precedence over the room',
    { room: { level: 'all', types: types('none') } },
    'LEVEL_OF_TYPE_IN_ROOM',
  ],
  ['a type in the room opens it', { room: { level: 'none', types: types('all') } }, undefined],
  [
    'the thread takes precedence over everything',
    { thread: { level: 'all' }, room: { level: 'none', types: types('none') } },
    undefined,
  ],
  ['the thread', { thread: { level: 'mentions' }, room: { level: 'all' } }, 'LEVEL_OF_THREAD'],

  ['a muted room', { isMuted: true }, 'MUTED'],
  ['a muted room, mentioned by name', { isMuted: true, mention: 'user' }, undefined],
  ['a muted room, mentioned with the room', { isMuted: true, mention: 'room' }, 'MUTED'],
  [
    'a muted room, by name, with level none',
    { isMuted: true, mention: 'user', room: { level: 'none' } },
    'LEVEL_OF_ROOM',
  ],
  ['a thread with a level in a muted room', { isMuted: true, thread: { level: 'all' } }, undefined],
  ['a thread without a level in a muted room', { isMuted: true, thread: {} }, 'MUTED'],
  ['muted for now, the room', { room: { muteUntilMS: later } }, 'MUTED_FOR_NOW'],
  [
    'muted for now, the room of a thread with a level',
    { room: { muteUntilMS: later }, thread: { level: 'all' } },
    undefined,
  ],
  [
    'muted for now, the room of a thread without a level',
    { room: { muteUntilMS: later }, thread: {} },
    'MUTED_FOR_NOW',
  ],
  ['muted for now, the thread', { thread: { muteUntilMS: later } }, 'MUTED_FOR_NOW'],
  ['muted for now, everywhere', { user: { muteUntilMS: later } }, 'MUTED_FOR_NOW'],
  [
    'muted for now, by name',
    { user: { muteUntilMS: later }, room: { muteUntilMS: later }, mention: 'user' },
    undefined,
  ],
  ['muted until this moment', { room: { muteUntilMS: atMS }, user: { muteUntilMS: atMS } }, undefined],

  ['do not disturb', { isQuiet: () => true }, 'DO_NOT_DISTURB'],
  ['do not disturb, mentioned by name', { isQuiet: () => true, mention: 'user' }, 'DO_NOT_DISTURB'],
  ['a level takes precedence over do not disturb', { isQuiet: () => true, user: { level: 'none' } }, 'LEVEL_OF_USER'],
]

describe('decideNotification', () => {
  test.each(cases)('%s', (_name, facts, expected) => {
    assert.equal(decideNotification({ ...nothing, ...facts }), expected)
  })
})
