import assert from 'node:assert/strict'
import { type ImportOf, importLine } from '@parley/contracts/import-line'
import { sendMessage } from '@parley/contracts/operations/messages/messages'
import { createRoom, updateRoom } from '@parley/contracts/operations/rooms/rooms'
import { saveUser } from '@parley/contracts/operations/users/users'
import { describe, test } from 'vitest'
import { toMessageDoc, toRoomDoc, toUserDoc } from './imported-docs.ts'

const at = { createdAtMS: 1_700_000_000_000, updatedAtMS: 1_700_000_000_000 }
const make = {
  user: (line: object) => toUserDoc('app', line as ImportOf<'user'>),
  room: (line: object) => toRoomDoc('app', { createdAt: 1, ...line } as ImportOf<'room'>),
  message: (line: object) => toMessageDoc('app', line as ImportOf<'message'>, 1, at),
}
/** The minimal line of each type. Its `type` field is not part of the resource. */
const least = {
  user: { type: 'user', _id: 'ann' },
  room: { type: 'room', _id: 'r', roomType: 'group' },
  message: { type: 'message', _id: 'm', room: 'r', sender: 'ann', message: 'Hi', messageType: 'text', createdAt: 1 },
}
/** A non-default value of each optional field. */
const given: Record<keyof typeof least, Record<string, unknown>> = {
  user: {
    ...{ nickname: 'N', description: 'D', email: 'e@example.org', avatarUrl: 'https://example.org/a.png' },
    ...{ isRobot: true, isAdmin: true, commands: [{ name: 'help', description: 'H' }], createdAt: 5 },
    notifications: { level: 'none' },
  },
  room: {
    ...{ name: 'N', cover: 'C', description: 'D', roomTags: ['t'], webhook: 'https://example.org', botState: 's' },
    ...{
      botMode: true,
      extParams: { a: 1 },
      slowModeS: 5,
      expiresInS: 60,
      retentionDays: 9,
      owner: 'ann',
      managers: ['ben'],
    },
    ...{ encrypted: true, serviceStatus: 3, opening: 1, status: 0, members: ['ann', 'ben'], createdAt: 5 },
  },
  message: {
    ...{ replyTo: 'p', threadOf: 'p', mentions: ['ben'], reactions: [{ client: 'ben', reaction: '👍' }] },
    ...{ pinned: true, edited: true, isDeleted: true, expiresInS: 60, push: false, skipTotalBadge: true },
    ...{ clientMessageID: 'c', recalled: true, system: true },
  },
}
/** REST fields that the import cannot store and refuses by name. */
const refused: Record<keyof typeof least, Record<string, unknown>> = {
  user: { issueAccessToken: true, deviceId: 'phone', token: 't', expirationDate: '2030-01-01T00:00:00Z' },
  room: { systemMessage: true },
  message: { sendAtMS: 1 },
}
/**
 * Tested elsewhere: `thread` in read-line.test.ts, `attachments` in test/operating/import.test.ts (needs the database),
 * the fields of exports in services/api-gateway/src/commands/round-trip.test.ts.
 */
const elsewhere = new Set(['thread', 'attachments', 'updatedAt', 'erased', 'abandoned'])
/** Fields of the REST operations that create each resource. */
const operations = {
  user: saveUser.body.shape,
  room: { ...createRoom.body.shape, ...updateRoom.body.shape },
  message: sendMessage.body.shape,
}

describe.each(['user', 'room', 'message'] as const)('a line of a %s', (type) => {
  const schema = importLine.options.find((option) => option.shape.type.value === type)
  const optional = Object.keys(schema?.shape ?? {}).filter(
    (field) => !(field in least[type]) && !(field in refused[type]) && !elsewhere.has(field),
  )
  // revStep() differs each time.
  const doc = (line: object) => ({
    ...make[type](line),
    rev: 0,
    updatedAt: 0,
    createdAt: (line as { createdAt?: 0 }).createdAt,
  })

  test('accepts every REST field, or refuses it by name', () => {
    const missing = Object.keys(operations[type]).filter((field) => !(field in (schema?.shape ?? {})))
    assert.deepEqual(missing, [])
    for (const [field, value] of Object.entries(refused[type])) {
      const { issues = [] } = importLine.safeParse({ ...least[type], [field]: value }).error ?? {}
      assert.deepEqual(
        issues.map(({ path }) => path),
        [[field]],
      )
      assert.match(issues[0]?.message ?? '', /import/)
    }
  })

  test('has a sample of each optional field of the contract', () => {
    assert.deepEqual(Object.keys(given[type]).toSorted(), optional.toSorted())
  })

  test.each(optional)('gives the document its %s', (field) => {
    const line = { ...least[type], [field]: given[type][field] }
    assert.ok(importLine.safeParse(line).success, JSON.stringify(importLine.safeParse(line).error?.issues))
    assert.notDeepEqual(doc(line), doc(least[type]))
  })
})

test('an imported room is found by each word of its name', () => {
  assert.deepEqual(make.room({ ...least.room, name: 'Red Fox' }).names, ['red fox', 'fox'])
})
