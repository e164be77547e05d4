import assert from 'node:assert/strict'
import { timelineKinds } from '@parley/contracts/resources/timeline-entry'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { describe, test } from 'vitest'
import { inWords } from './in-words.ts'
import type { TimelineRecord } from './records.ts'

const sent = { _id: 'm1', room: 'r', seq: 12, sender: 'alice', messageType: 'text', createdAtMS: 1_000, request: 'q' }
const about = { _id: 'm1', room: 'r' }
const call: Omit<OutgoingCallDoc, 'data'> = {
  ...{ _id: 'hook_m1', app: 'a', kind: 'webhook', queue: 'q', target: 't', order: 1, room: 'r', event: 'MESSAGE' },
  ...{ client: 'alice', state: 'done', tries: 1, createdAtMS: 5, lastTry: { atMS: 6, durationMS: 83, status: 200 } },
}
const report = {
  ...{ id: 'p', message: 'm1', room: 'r', sender: 'alice', createdAtMS: 9, count: 2 },
  status: 'open' as const,
}
const audit: AuditDoc = {
  ...{ _id: 'x', app: 'a', id: 'e', atMS: 7, actor: 'key:9f', action: 'banUser', subject: 'user:a:b' },
  expiresAt: new Date(0),
}
const push = (device: object): TimelineRecord => ({
  ...{ of: 'push', atMS: 2, message: about },
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each row is a device as push/why has it
  device: { deviceId: 'phone', ...device } as Extract<TimelineRecord, { of: 'push' }>['device'],
})
const activity = (entry: object): TimelineRecord => ({
  ...{ of: 'activity', node: 'n1' },
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each row is an activity as nodes answer it
  activity: { atMS: 3, ...entry } as Extract<TimelineRecord, { of: 'activity' }>['activity'],
})

const rows: [record: TimelineRecord, code: string, reason: string][] = [
  [{ of: 'message', message: sent }, 'MESSAGE_SENT', 'alice sent a message of type text (seq 12)'],
  [
    { of: 'message', message: { ...sent, edited: true, isDeleted: true }, reader: { user: 'alice', readSeq: 1 } },
    'MESSAGE_SENT',
    'alice sent a message of type text (seq 12), edited, deleted since',
  ],
  [
    { of: 'message', message: { ...sent, system: true }, reader: { user: 'bob' } },
    'MESSAGE_RECEIVED',
    'the server wrote a message of type text (seq 12); bob is not a member now',
  ],
  [
    { of: 'message', message: sent, reader: { user: 'bob', readSeq: 12 } },
    'MESSAGE_RECEIVED',
    'alice sent a message of type text (seq 12); bob has read it',
  ],
  [
    { of: 'message', message: sent, reader: { user: 'bob', readSeq: 11, deliveredSeq: 12 } },
    'MESSAGE_RECEIVED',
    'alice sent a message of type text (seq 12); it reached a device of bob, but bob has not read it',
  ],
  [
    { of: 'message', message: sent, reader: { user: 'bob', readSeq: 11 } },
    'MESSAGE_RECEIVED',
    'alice sent a message of type text (seq 12); no device of bob reported receiving it, and bob has not read it',
  ],
  [
    { of: 'delivery', atMS: 2, message: about, node: 'n1', sockets: 2, caughtUp: false, devices: ['phone'] },
    'DELIVERED',
    'delivered to 2 sockets of the room; phone was connected there',
  ],
  [
    { of: 'delivery', atMS: 2, message: about, node: 'n1', sockets: 1, caughtUp: true, devices: ['a', 'b'] },
    'DELIVERED_LATER',
    'delivered to one socket that reconnected with `since`; a, b were connected there',
  ],
  [
    { of: 'delivery', atMS: 2, message: about, node: 'n1', sockets: 0, caughtUp: false, devices: [] },
    'DELIVERED_TO_NONE',
    'delivered to no socket of the room',
  ],
  [
    { of: 'no push', atMS: 2, message: about, reason: 'MUTED' },
    'PUSH_MUTED',
    'No push: the user muted the room and was not mentioned',
  ],
  [
    { of: 'no push', atMS: 2, message: about, reason: 'PUSH_GENERIC', call: 'push_m1' },
    'PUSH_PUSH_GENERIC',
    'The push went to PUSH_GENERIC, in a call that names the user',
  ],
  [
    push({ outcome: 'not sent', reason: 'CONNECTED' }),
    'PUSH_CONNECTED',
    'No push to phone: the device was connected and heard the message live',
  ],
  [push({ outcome: 'sent', network: 'apns', atMS: 9 }), 'PUSH_SENT', 'APNs accepted the push to phone'],
  [
    push({ outcome: 'refused', network: 'fcm', reason: 'UNREGISTERED', tokenRemoved: true }),
    'PUSH_REFUSED',
    'FCM refused the push to phone: UNREGISTERED; the device token was removed',
  ],
  [push({ outcome: 'given up', reason: 'late' }), 'PUSH_GIVEN_UP', 'the push to phone was given up: late'],
  [
    push({ outcome: 'waiting', tries: 2, lastError: '503', nextTryAtMS: 0 }),
    'PUSH_WAITING',
    'the push to phone is waiting after 2 failed attempts: 503; next attempt 1970-01-01T00:00:00.000Z',
  ],
  [push({ outcome: 'sending' }), 'PUSH_SENDING', 'the push to phone was started, but has no recorded outcome'],
  [{ of: 'call', call }, 'CALL_DONE', "the MESSAGE call to the room's webhook was made and answered with 200 in 83 ms"],
  [
    { of: 'call', call: { ...call, kind: 'push', state: 'failed', tries: 1, lastError: 'status 500' } },
    'CALL_FAILED',
    'the call to PUSH_GENERIC failed for good after 1 attempt: status 500',
  ],
  [
    { of: 'call', call: { ...call, state: 'waiting', tries: 3, lastError: 'timeout' } },
    'CALL_WAITING',
    "the MESSAGE call to the room's webhook is waiting after 3 failed: timeout",
  ],
  [activity({ what: 'connected', device: 'phone', transport: 'polling' }), 'CONNECTED', 'phone logged in by polling'],
  [
    activity({ what: 'closed', device: 'phone', reason: 'ping timeout' }),
    'DISCONNECTED',
    'phone disconnected: ping timeout (No heartbeat came in time)',
  ],
  [
    activity({ what: 'refused', call: 'chat message', room: 'r', code: 'NOT_ROOM_MEMBER', reason: 'room: no' }),
    'REFUSED',
    'chat message was refused: NOT_ROOM_MEMBER room: no',
  ],
  [
    { of: 'live', node: 'n1', device: 'phone', transport: 'websocket', sinceMS: 1 },
    'CONNECTED_STILL',
    'phone connected by websocket and is still connected',
  ],
  [
    { of: 'last login', user: { lastLoginTimeMS: 4, address: { address: '10.0.0.1', family: 'IPv4' } } },
    'LAST_LOGIN',
    'the last socket login, from 10.0.0.1',
  ],
  [{ of: 'last seen', atMS: 4 }, 'LAST_SEEN', "the end of the user's last connection"],
  [
    {
      of: 'refused',
      scheduled: {
        ...{ id: 's', room: 'r', sendAtMS: 5 },
        refused: { code: 'ROOM_FROZEN', message: 'the room is frozen', atMS: 6 },
      },
    },
    'SCHEDULED_REFUSED',
    'a scheduled message was not sent: ROOM_FROZEN the room is frozen',
  ],
  [
    { of: 'read', membership: { room: 'r', readSeq: 3, deliveredSeq: 5 }, atMS: 8 },
    'READ',
    'read up to seq 3, delivered up to seq 5: the last reported position',
  ],
  [
    { of: 'joined', membership: { room: 'r', user: 'bob', joinedAtMS: 1 } },
    'JOINED',
    'bob became a member of the room',
  ],
  [{ of: 'token', what: 'issued', atMS: 1, fingerprint: 'f' }, 'TOKEN_ISSUED', 'a token was issued'],
  [
    { of: 'token', what: 'expired', atMS: 1, fingerprint: 'f' },
    'TOKEN_EXPIRED',
    'the token expired: calls and logins with it are refused',
  ],
  [
    { of: 'ban', ban: { room: 'r', blockee: 'bob', blocker: 'alice', createdAt: new Date(1), untilMS: 0 } },
    'BANNED_IN_ROOM',
    'alice banned bob in the room until 1970-01-01T00:00:00.000Z: only reading is allowed',
  ],
  [
    { of: 'app ban', user: 'bob', ban: { atMS: 1 } },
    'BANNED_FROM_APP',
    'bob was banned from the app indefinitely: logins and calls are refused',
  ],
  [{ of: 'report', report }, 'REPORT_OPEN', '2 users reported a message of alice; it is open'],
  [
    {
      of: 'report',
      report: { ...report, status: 'decided', decision: 'delete' },
      by: { client: 'bob', reason: 'spam' },
    },
    'REPORT_DECIDED',
    'bob reported a message of alice: spam; it was decided: delete',
  ],
  [{ of: 'audit', entry: { ...audit, actorName: 'console' } }, 'AUDIT', 'console (key:9f) called banUser'],
]

/** Values from the record: if a sentence contains one, its parts must too. */
const names = [
  'alice',
  'bob',
  'phone',
  'APNs',
  'FCM',
  'UNREGISTERED',
  'ROOM_FROZEN',
  '10.0.0.1',
  'spam',
  'banUser',
  'polling',
]
const states = { read: true, arrived: true, 'not reported': true, 'no member': true }

describe('a timeline record in words', () => {
  for (const [record, code, reason] of rows) {
    test(`${record.of}: ${reason}`, () => {
      const entry = inWords(record)
      assert.deepEqual([entry.code, entry.reason], [code, reason])
    })
  }

  test('every kind that can be requested has a record', () => {
    const kinds = new Set(rows.map(([record]) => inWords(record).kind))
    assert.deepEqual([...kinds].toSorted(), [...timelineKinds].toSorted())
  })

  test('the parts of a sentence suffice to translate it', () => {
    for (const [record, , reason] of rows) {
      const { about } = inWords(record)
      const parts = Object.values(about)
        .flat()
        .filter((part) => typeof part === 'string')
      const unsaid = parts.filter((part) => !reason.includes(part) && !Object.hasOwn(states, part))
      assert.deepEqual(unsaid, [], reason)
      for (const said of names.filter((name) => new RegExp(`\\b${name}\\b`).test(reason))) {
        assert.ok(
          parts.some((part) => part.includes(said)),
          `${said} of: ${reason}`,
        )
      }
    }
  })

  test('has the subject, the node and the IDs for other operations', () => {
    const delivered = inWords({
      ...{ of: 'delivery', atMS: 2, message: about, node: 'n1', sockets: 2, caughtUp: false, devices: ['phone'] },
    })
    assert.deepEqual(
      [delivered.node, delivered.refs, delivered.timeMS],
      ['n1', { message: 'm1', room: 'r', device: 'phone' }, 2],
    )
    assert.equal(inWords(push({ outcome: 'sent', network: 'apns', atMS: 9 })).timeMS, 9)
    assert.deepEqual(inWords({ of: 'audit', entry: audit }).subject, { kind: 'user', id: 'a:b' })
  })
})
