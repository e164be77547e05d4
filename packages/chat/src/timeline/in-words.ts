import type { ActivityAnswer } from '@parley/contracts/bus/node-requests'
import type { ExplainedDevice, PushReason } from '@parley/contracts/resources/push-explanation'
import type { TimelineEntry, TimelineKind } from '@parley/contracts/resources/timeline-entry'
import { closeReasons } from '@parley/contracts/socket/close-reasons'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import type { TimelineRecord } from './records.ts'

type RecordOf<Of extends TimelineRecord['of']> = Extract<TimelineRecord, { of: Of }>
type Writer<Of extends TimelineRecord['of']> = (record: RecordOf<Of>) => TimelineEntry

/** The kind of entry that a record becomes. */
const kindOf: Record<TimelineRecord['of'], TimelineKind> = {
  message: 'message',
  delivery: 'delivery',
  'no push': 'push',
  push: 'push',
  call: 'call',
  activity: 'connection',
  live: 'connection',
  'last login': 'connection',
  'last seen': 'connection',
  refused: 'refusal',
  read: 'read',
  joined: 'membership',
  token: 'token',
  ban: 'ban',
  'app ban': 'ban',
  report: 'report',
  audit: 'audit',
}

/** An entry of a timeline: what a record says, as a sentence. It looks up nothing. */
export function inWords(record: TimelineRecord): TimelineEntry {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the writer of the record's own kind
  const write = writers[record.of] as (record: TimelineRecord) => TimelineEntry
  return write(record)
}

const writers: { [Of in TimelineRecord['of']]: Writer<Of> } = {
  message({ message, reader }) {
    const { _id, room, seq, sender, messageType, createdAtMS, request } = message
    const isOwn = reader === undefined || reader.user === sender
    const what = message.system ? 'the server wrote a message' : `${sender} sent a message`
    const changes = [message.edited && 'edited', message.recalled && 'recalled', message.isDeleted && 'deleted']
    const since = changes.filter((change) => typeof change === 'string').join(', ')
    const state = isOwn ? '' : `; ${stateOf(reader, seq)}`
    return {
      timeMS: createdAtMS,
      kind: kindOf.message,
      code: isOwn ? 'MESSAGE_SENT' : 'MESSAGE_RECEIVED',
      subject: { kind: 'message', id: _id },
      reason: `${what} of type ${messageType} (seq ${seq})${since === '' ? '' : `, ${since} since`}${state}`,
      refs: { message: _id, room, user: sender, ...(request !== undefined && { request }) },
    }
  },

  delivery({ atMS, message, node, sockets, caughtUp, devices }) {
    const to = sockets === 0 ? 'no socket' : sockets === 1 ? 'one socket' : `${sockets} sockets`
    const which = caughtUp ? 'that came back with `since`' : 'of the room'
    const there =
      devices.length === 0 ? '' : `; ${devices.join(', ')} ${devices.length === 1 ? 'was' : 'were'} connected there`
    return {
      timeMS: atMS,
      kind: kindOf.delivery,
      code: sockets === 0 ? 'DELIVERED_TO_NONE' : caughtUp ? 'DELIVERED_LATER' : 'DELIVERED',
      subject: { kind: 'message', id: message._id },
      node,
      reason: `handed to ${to} ${which}${there}`,
      refs: { message: message._id, room: message.room, ...(devices.length === 1 && { device: devices[0] }) },
    }
  },

  'no push': ({ atMS, message, reason, call }) => ({
    timeMS: atMS,
    kind: kindOf['no push'],
    code: `PUSH_${reason}`,
    subject: { kind: 'message', id: message._id },
    reason: reason === 'PUSH_GENERIC' ? noPush.PUSH_GENERIC : `No push: ${noPush[reason]}`,
    refs: { message: message._id, room: message.room, ...(call !== undefined && { call }) },
  }),

  push: ({ atMS, message, device }) => ({
    timeMS: device.atMS ?? atMS,
    kind: kindOf.push,
    ...outcomeInWords(device),
    subject: { kind: 'device', id: device.deviceId },
    refs: { message: message._id, room: message.room, device: device.deviceId },
  }),

  call: ({ call }) => ({
    timeMS: call.createdAtMS,
    kind: kindOf.call,
    code: `CALL_${call.state.toUpperCase()}`,
    subject: { kind: 'call', id: call._id },
    reason: callInWords(call),
    refs: { call: call._id, room: call.room, ...(call.request !== undefined && { request: call.request }) },
  }),

  activity: ({ node, activity }) => ({
    timeMS: activity.atMS,
    kind: activity.what === 'refused' ? 'refusal' : kindOf.activity,
    node,
    ...activityInWords(activity),
  }),

  live: ({ node, device, transport, sinceMS }) => ({
    timeMS: sinceMS,
    kind: kindOf.live,
    code: 'CONNECTED_STILL',
    subject: { kind: 'device', id: device },
    node,
    reason: `${device} connected by ${transport}, and is connected still`,
    refs: { device },
  }),

  'last login': ({ user: { lastLoginTimeMS, address } }) => ({
    timeMS: lastLoginTimeMS,
    kind: kindOf['last login'],
    code: 'LAST_LOGIN',
    subject: { kind: 'other', id: 'login' },
    reason: `the last login of a socket${address ? `, from ${address.address}` : ''}`,
    refs: {},
  }),

  'last seen': ({ atMS }) => ({
    timeMS: atMS,
    kind: kindOf['last seen'],
    code: 'LAST_SEEN',
    subject: { kind: 'other', id: 'login' },
    reason: 'the last end of a connection of the user',
    refs: {},
  }),

  refused: ({ scheduled: { id, room, sendAtMS, refused } }) => ({
    timeMS: sendAtMS,
    kind: kindOf.refused,
    code: 'SCHEDULED_REFUSED',
    subject: { kind: 'other', id },
    reason: `a scheduled message was not sent: ${refused?.code ?? ''} ${refused?.message ?? ''}`.trimEnd(),
    refs: { room },
  }),

  read: ({ membership: { room, readSeq, deliveredSeq = 0 }, atMS }) => ({
    timeMS: atMS,
    kind: kindOf.read,
    code: 'READ',
    subject: { kind: 'room', id: room },
    reason: `read up to seq ${readSeq}, delivered up to seq ${Math.max(readSeq, deliveredSeq)}: the last report of a position`,
    refs: { room },
  }),

  joined: ({ membership: { room, user, joinedAtMS } }) => ({
    timeMS: joinedAtMS,
    kind: kindOf.joined,
    code: 'JOINED',
    subject: { kind: 'room', id: room },
    reason: `${user} became a member of the room`,
    refs: { room, user },
  }),

  token: ({ what, atMS, fingerprint }) => ({
    timeMS: atMS,
    kind: kindOf.token,
    code: `TOKEN_${what.toUpperCase()}`,
    subject: { kind: 'token', id: fingerprint },
    reason: tokenWords[what],
    refs: { token: fingerprint },
  }),

  ban: ({ ban: { room, blockee, blocker, createdAt, untilMS } }) => ({
    timeMS: createdAt.getTime(),
    kind: kindOf.ban,
    code: 'BANNED_IN_ROOM',
    subject: { kind: 'room', id: room },
    reason: `${blocker === '' ? 'an API key' : blocker} banned ${blockee} in the room ${endOf(untilMS)}: only reading is allowed`,
    refs: { room, user: blockee },
  }),

  'app ban': ({ user, ban: { atMS, untilMS } }) => ({
    timeMS: atMS,
    kind: kindOf['app ban'],
    code: 'BANNED_FROM_APP',
    subject: { kind: 'user', id: user },
    reason: `${user} was banned from the app ${endOf(untilMS)}: logins and calls are refused`,
    refs: { user },
  }),

  report({ report: { id, message, room, sender, createdAtMS, status, decision, count }, by }) {
    const who = by ? `${by.client} reported` : count === 1 ? 'a user reported' : `${count} users reported`
    const why = by ? `: ${by.reason}` : ''
    const then = status === 'open' ? 'it is open' : `it was decided: ${decision ?? ''}`
    return {
      timeMS: createdAtMS,
      kind: kindOf.report,
      code: status === 'open' ? 'REPORT_OPEN' : 'REPORT_DECIDED',
      subject: { kind: 'report', id },
      reason: `${who} a message of ${sender}${why}; ${then}`,
      refs: { report: id, message, room, user: by?.client ?? sender },
    }
  },

  audit({ entry: { id, atMS, actor, actorName, action, subject, request } }) {
    const colon = subject.indexOf(':')
    const kind = subject.slice(0, colon)
    const known = kind === 'user' || kind === 'room' || kind === 'message' ? kind : 'other'
    return {
      timeMS: atMS,
      kind: kindOf.audit,
      code: 'AUDIT',
      subject: { kind: known, id: subject.slice(colon + 1) },
      reason: `${actorName === undefined ? actor : `${actorName} (${actor})`} called ${action}`,
      refs: { audit: id, actor, ...(request !== undefined && { request }) },
    }
  },
}

function stateOf({ user, readSeq, deliveredSeq = 0 }: NonNullable<RecordOf<'message'>['reader']>, seq: number): string {
  if (readSeq === undefined) return `${user} is no member now`
  if (seq <= readSeq) return `${user} has read it`
  const arrived = seq <= deliveredSeq ? `it reached a device of ${user}` : `no device of ${user} reported to have it`
  return `${arrived}, and ${user} has not read it`
}

const noPush: Record<PushReason, string> = {
  NO_DEVICE: 'the user has registered no device for push',
  CONNECTED: 'the user was connected and heard the message live',
  MUTED: 'the user muted the room and was not mentioned',
  BANNED: 'the user was banned',
  BLOCKED: 'the user blocks the sender',
  SENDER: 'the user sent it',
  ROBOT: 'the user is a robot',
  PUSH_FALSE: 'the sender asked for none',
  STREAMING: 'the message is being streamed; it is pushed at its end',
  NOT_A_MEMBER: 'the user was no member of the room when it was sent',
  NOT_IN_THREAD: 'the user takes no part in the thread',
  PUSH_GENERIC: 'The push was handed to PUSH_GENERIC, in a call that names the user',
  DELETED: 'the message was deleted before it was handled',
  LATE: 'the message was handled too late',
  NO_NETWORK: 'no network with credentials reaches the device',
  NOT_RECORDED: 'nothing is on record',
}

const networkNames = { apns: 'APNs', fcm: 'FCM' } as const
const deviceReasons: Readonly<Record<string, string>> = {
  ...noPush,
  CONNECTED: 'the device was connected and heard the message live',
}

function outcomeInWords(device: ExplainedDevice): Pick<TimelineEntry, 'code' | 'reason'> {
  const { deviceId, outcome, reason = '', tries = 0, lastError, nextTryAtMS, tokenRemoved } = device
  const network = device.network === undefined ? 'the network' : networkNames[device.network]
  switch (outcome) {
    case 'not sent':
      return { code: `PUSH_${reason}`, reason: `No push to ${deviceId}: ${deviceReasons[reason] ?? reason}` }
    case 'sent':
      return { code: 'PUSH_SENT', reason: `${network} took the push to ${deviceId}` }
    case 'refused': {
      const removed = tokenRemoved === true ? '; the device token was removed' : ''
      return { code: 'PUSH_REFUSED', reason: `${network} refused the push to ${deviceId}: ${reason}${removed}` }
    }
    case 'given up':
      return { code: 'PUSH_GIVEN_UP', reason: `the push to ${deviceId} was given up: ${reason}` }
    case 'waiting': {
      const failed = tries === 0 ? '' : ` after ${tries} failed ${tries === 1 ? 'try' : 'tries'}`
      const why = lastError === undefined ? '' : `: ${lastError}`
      const next = nextTryAtMS === undefined ? '' : `; next try ${new Date(nextTryAtMS).toISOString()}`
      return { code: 'PUSH_WAITING', reason: `the push to ${deviceId} waits${failed}${why}${next}` }
    }
    case 'sending':
      return { code: 'PUSH_SENDING', reason: `the push to ${deviceId} was begun, and no outcome is on record` }
    default:
      return outcome satisfies never
  }
}

function callInWords(call: Omit<OutgoingCallDoc, 'data'>): string {
  const { kind, event, state, tries, lastError = '', lastTry } = call
  const whose = kind === 'push' ? 'the call to PUSH_GENERIC' : `the call of ${event} to the room's webhook`
  const answered = lastTry?.status === undefined ? '' : `, answered ${lastTry.status} in ${lastTry.durationMS} ms`
  switch (state) {
    case 'done':
      return `${whose} was made${answered}`
    case 'failed':
      return `${whose} failed for good after ${tries} ${tries === 1 ? 'try' : 'tries'}: ${lastError}`
    case 'waiting':
      return tries === 0 ? `${whose} waits` : `${whose} waits after ${tries} failed: ${lastError}`
    default:
      return state satisfies never
  }
}

function activityInWords(
  activity: ActivityAnswer[number],
): Pick<TimelineEntry, 'code' | 'reason' | 'subject' | 'refs'> {
  const { what, device, transport = '', call = '', room, code = '', reason = '', request } = activity
  const refs = {
    ...(device !== undefined && { device }),
    ...(room !== undefined && { room }),
    ...(request !== undefined && { request }),
  }
  const shown = device ?? 'a device'
  const subject = { kind: 'device' as const, id: device ?? '' }
  switch (what) {
    case 'connected':
      return { code: 'CONNECTED', subject, refs, reason: `${shown} logged in by ${transport}` }
    case 'closed': {
      const why = Object.entries(closeReasons).find(([name]) => name === reason)?.[1].why
      return {
        code: 'DISCONNECTED',
        subject,
        refs,
        reason: `${shown} disconnected: ${reason}${why === undefined ? '' : ` (${why})`}`,
      }
    }
    case 'refused':
      return {
        code: 'REFUSED',
        subject: { kind: 'other', id: call },
        refs,
        reason: `${call} was refused: ${code} ${reason}`.trimEnd(),
      }
    default:
      return what satisfies never
  }
}

const tokenWords = {
  issued: 'a token was issued',
  used: 'the token was used over HTTP, noted once an hour',
  expired: 'the token expired: calls and logins with it are refused',
} as const

function endOf(untilMS: number | undefined): string {
  return untilMS === undefined ? 'without an end' : `until ${new Date(untilMS).toISOString()}`
}
