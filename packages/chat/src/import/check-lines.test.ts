import assert from 'node:assert/strict'
import { test } from 'vitest'
import { LineChecks } from './check-lines.ts'
import { readLine } from './read-line.ts'

const user = (_id: string) => ({ type: 'user', _id, nickname: _id })
const room = (_id: string, more: object) => ({ type: 'room', _id, name: _id, ...more })
const membership = (of: string, member: string, more: object = {}) => ({
  ...{ type: 'membership', room: of, user: member },
  ...more,
})
const message = (of: string, _id: string) => ({
  ...{ type: 'message', _id, room: of, sender: 'ann', message: 'Hi', messageType: 'text' },
  createdAt: '2021-03-01T09:00:00Z',
})

test('lines of a room that is refused at the end are not counted as good', () => {
  const checks = new LineChecks('app')
  const lines = [
    ...[user('ann'), user('bob')],
    ...[room('good', { roomType: 'group' }), room('half', { roomType: 'direct', members: ['ann', 'bob'] })],
    ...[membership('good', 'ann'), membership('good', 'bob', { lastRead: 'none' }), membership('half', 'ann')],
    ...[message('good', 'g1'), message('half', 'h1'), message('half', 'h2')],
  ]
  for (const [index, line] of lines.entries()) {
    const at = { number: index + 1, index }
    const result = readLine({ ...at, offset: 0, bytes: Buffer.from(JSON.stringify(line)) })
    assert.ok('read' in result, JSON.stringify(result))
    assert.deepEqual(checks.check(at, result.read), [])
  }
  assert.deepEqual(
    checks.checkWhole().map(({ line, field }) => [line, field]),
    [
      [6, 'lastRead'],
      [4, 'members'],
    ],
  )
  assert.deepEqual([...checks.refusedRooms], ['half'])
  assert.partialDeepStrictEqual(checks.counts, { user: 2, room: 1, membership: 1, message: 1 })
})
