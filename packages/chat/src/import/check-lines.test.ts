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

/** Problems of lines, as `line field: reason`. */
function problemsOf(lines: readonly object[]): string[] {
  const checks = new LineChecks('app')
  const problems = lines.flatMap((line, index) => {
    const at = { number: index + 1, index }
    const result = readLine({ ...at, offset: 0, bytes: Buffer.from(JSON.stringify(line)) })
    return 'read' in result ? checks.check(at, result.read) : result.problems
  })
  return [...problems, ...checks.checkWhole()].map(({ line, field, reason }) => `${line} ${field}: ${reason}`)
}

/** One room `r` with a message `m`. */
const good = [
  ...[user('ann'), room('r', { roomType: 'group' }), membership('r', 'ann'), message('r', 'm')],
  room('f', { roomType: 'group', abandoned: true }),
]

const scheduled = {
  ...{ type: 'scheduled', _id: 's', room: 'r', sender: 'ann', message: 'Hi', messageType: 'text' },
  sendAt: '2031-03-01T09:00:00Z',
}

const createdAt = '2026-03-01T09:00:00Z'
const report = {
  ...{ type: 'report', _id: '6'.repeat(24), room: 'r', message: 'gone', sender: 'ann', messageType: 'text' },
  ...{ messageTime: createdAt, reporters: [], count: 1, createdAt, updatedAt: createdAt },
}
const hold = { type: 'hold', _id: '7'.repeat(24), reason: 'Case 1', createdAt }

test.each([
  [{ type: 'deletion', room: 'r', user: 'ann', message: 'none' }, 'message: no earlier line'],
  [{ type: 'deletion', room: 'none', user: 'ann', upToSeq: 1 }, 'room: no earlier line'],
  [{ type: 'deletion', room: 'r', user: 'zed', upToSeq: 1 }, 'user: no earlier line'],
  [{ type: 'deletion', room: 'r', user: 'ann', upToSeq: 2 }, 'upToSeq: no earlier line'],
  [{ type: 'deletion', room: 'r', user: 'ann' }, 'message: give message or upToSeq'],
  [room('d', { roomType: 'direct', abandoned: true, members: ['ann', 'ann'] }), 'members: not allowed'],
  [{ type: 'invitation', room: 'r', invitee: 'ann', _id: '5' }, '_id: expected 24'],
  [{ type: 'invitation', room: 'r', invitee: 'ann', inviter: 'zed' }, 'inviter: no earlier line'],
  [{ type: 'invitation', room: 'none', invitee: 'ann' }, 'room: no earlier line is for this group'],
  [{ type: 'bookmark', user: 'zed', room: 'r', message: 'm' }, 'user: no earlier line'],
  [{ type: 'bookmark', user: 'ann', room: 'r', message: 'none' }, 'message: no earlier line'],
  [{ type: 'reminder', user: 'ann', room: 'r', message: 'm' }, 'remindAt: expected an ISO-8601 time'],
  [{ type: 'thread', user: 'zed', room: 'r', threadOf: 'm' }, 'threadOf: no earlier line'],
  [{ ...scheduled, room: 'none' }, 'room: no earlier line'],
  [{ ...scheduled, sender: 'zed' }, 'sender: no earlier line'],
  [{ ...scheduled, replyTo: 'none' }, 'replyTo: no earlier line'],
  [{ ...scheduled, thread: true }, 'replyTo: required with thread'],
  [{ ...scheduled, message: 'x'.repeat(70_000) }, 'message: '],
  [{ ...scheduled, messageType: 'addMembers' }, 'messageType: is a system message type'],
  [{ ...scheduled, attachments: [] }, 'attachments: Too small'],
  [{ ...report, room: 'none' }, 'room: no earlier line'],
  [{ ...report, sender: 'zed' }, 'sender: no earlier line'],
  [{ ...report, reporters: [{ client: 'zed', reason: 'spam', at: createdAt }] }, 'reporters: no earlier line'],
  [{ ...report, decision: 'dismiss' }, 'decidedAt: required with decision'],
  [{ ...report, content: 'x'.repeat(70_000) }, 'content: '],
  [{ ...hold, room: 'r', user: 'ann' }, 'user: give user or room'],
  [hold, 'user: give user or room'],
  [{ ...hold, room: 'r', _id: 'h' }, '_id: expected 24'],
])('a bad line is reported by field: %j', (line, problem) => {
  assert.deepEqual(problemsOf(good), [])
  const found = problemsOf([...good, line])
  assert.ok(
    found.some((one) => one.startsWith(`6 ${problem}`)),
    JSON.stringify(found),
  )
})

test('an abandoned room with too many memberships is refused', () => {
  const [found] = problemsOf([...good, membership('f', 'ann')])
  assert.match(found ?? '', /^5 abandoned: has 1 memberships/)
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
