import type { TimelineAbout, TimelineEntry, TimelineKind } from '@parley/contracts/resources/timeline-entry'
import { activityInWords, callInWords, endOf, noPush, outcomeInWords, tokenWords } from './reasons.ts'
import type { TimelineRecord } from './records.ts'

type RecordOf<Of extends TimelineRecord['of']> = Extract<TimelineRecord, { of: Of }>
type Written = Omit<TimelineEntry, 'kind'> & { kind?: TimelineKind }

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

export function inWords(record: TimelineRecord): TimelineEntry {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the writer of the record's own kind
  const write = writers[record.of] as (record: TimelineRecord) => Written
  return { kind: kindOf[record.of], ...write(record) }
}

const writers: { [Of in TimelineRecord['of']]: (record: RecordOf<Of>) => Written } = {
  message({ message, reader }) {
    const { _id, room, seq, sender, messageType, createdAtMS, request } = message
    const isOwn = reader === undefined || reader.user === sender
    const what = message.system ? 'the server wrote a message' : `${sender} sent a message`
    const changes = [
      ...(message.edited ? ['edited' as const] : []),
      ...(message.recalled ? ['recalled' as const] : []),
      ...(message.isDeleted ? ['deleted' as const] : []),
    ]
    const since = changes.join(', ')
    const state = isOwn ? undefined : stateOf(reader, seq)
    return {
      timeMS: createdAtMS,
      code: isOwn ? 'MESSAGE_SENT' : 'MESSAGE_RECEIVED',
      subject: { kind: 'message', id: _id },
      reason: `${what} of type ${messageType} (seq ${seq})${since === '' ? '' : `, ${since} since`}${state === undefined ? '' : `; ${stateWords[state](reader?.user ?? '')}`}`,
      about: {
        ...{ messageType, seq, changes },
        ...(!message.system && { by: sender }),
        ...(state !== undefined && { state, user: reader?.user }),
      },
      refs: { message: _id, room, user: sender, ...(request !== undefined && { request }) },
    }
  },

  delivery({ atMS, message, node, sockets, caughtUp, devices }) {
    const to = sockets === 0 ? 'no socket' : sockets === 1 ? 'one socket' : `${sockets} sockets`
    const which = caughtUp ? 'that reconnected with `since`' : 'of the room'
    const there =
      devices.length === 0 ? '' : `; ${devices.join(', ')} ${devices.length === 1 ? 'was' : 'were'} connected there`
    return {
      timeMS: atMS,
      code: sockets === 0 ? 'DELIVERED_TO_NONE' : caughtUp ? 'DELIVERED_LATER' : 'DELIVERED',
      subject: { kind: 'message', id: message._id },
      node,
      reason: `delivered to ${to} ${which}${there}`,
      about: { sockets, devices: [...devices] },
      refs: { message: message._id, room: message.room, ...(devices.length === 1 && { device: devices[0] }) },
    }
  },

  'no push': ({ atMS, message, reason, call }) => ({
    timeMS: atMS,
    code: `PUSH_${reason}`,
    subject: { kind: 'message', id: message._id },
    reason: reason === 'PUSH_GENERIC' ? noPush.PUSH_GENERIC : `No push: ${noPush[reason]}`,
    about: {},
    refs: { message: message._id, room: message.room, ...(call !== undefined && { call }) },
  }),

  push: ({ atMS, message, device }) => ({
    timeMS: device.atMS ?? atMS,
    ...outcomeInWords(device),
    subject: { kind: 'device', id: device.deviceId },
    refs: { message: message._id, room: message.room, device: device.deviceId },
  }),

  call: ({ call }) => ({
    timeMS: call.createdAtMS,
    code: `CALL_${call.state.toUpperCase()}`,
    subject: { kind: 'call', id: call._id },
    ...callInWords(call),
    refs: { call: call._id, room: call.room, ...(call.request !== undefined && { request: call.request }) },
  }),

  activity: ({ node, activity }) => ({
    timeMS: activity.atMS,
    ...(activity.what === 'refused' && { kind: 'refusal' }),
    node,
    ...activityInWords(activity),
  }),

  live: ({ node, device, transport, sinceMS }) => ({
    timeMS: sinceMS,
    code: 'CONNECTED_STILL',
    subject: { kind: 'device', id: device },
    node,
    reason: `${device} connected by ${transport} and is still connected`,
    about: { devices: [device], transport },
    refs: { device },
  }),

  'last login': ({ user: { lastLoginTimeMS, address } }) => ({
    timeMS: lastLoginTimeMS,
    code: 'LAST_LOGIN',
    subject: { kind: 'other', id: 'login' },
    reason: `the last socket login${address ? `, from ${address.address}` : ''}`,
    about: { ...(address && { address: address.address }) },
    refs: {},
  }),

  'last seen': ({ atMS }) => ({
    timeMS: atMS,
    code: 'LAST_SEEN',
    subject: { kind: 'other', id: 'login' },
    reason: "the end of the user's last connection",
    about: {},
    refs: {},
  }),

  refused: ({ scheduled: { id, room, sendAtMS, refused } }) => ({
    timeMS: sendAtMS,
    code: 'SCHEDULED_REFUSED',
    subject: { kind: 'other', id },
    reason: `a scheduled message was not sent: ${refused?.code ?? ''} ${refused?.message ?? ''}`.trimEnd(),
    about: { ...(refused && { error: refused.code, detail: refused.message }) },
    refs: { room },
  }),

  read: ({ membership: { room, readSeq, deliveredSeq = 0 }, atMS }) => ({
    about: { readSeq, deliveredSeq: Math.max(readSeq, deliveredSeq) },
    timeMS: atMS,
    code: 'READ',
    subject: { kind: 'room', id: room },
    reason: `read up to seq ${readSeq}, delivered up to seq ${Math.max(readSeq, deliveredSeq)}: the last reported position`,
    refs: { room },
  }),

  joined: ({ membership: { room, user, joinedAtMS } }) => ({
    timeMS: joinedAtMS,
    code: 'JOINED',
    subject: { kind: 'room', id: room },
    reason: `${user} became a member of the room`,
    about: { user },
    refs: { room, user },
  }),

  token: ({ what, atMS, fingerprint }) => ({
    timeMS: atMS,
    code: `TOKEN_${what.toUpperCase()}`,
    subject: { kind: 'token', id: fingerprint },
    reason: tokenWords[what],
    about: {},
    refs: { token: fingerprint },
  }),

  ban: ({ ban: { room, blockee, blocker, createdAt, untilMS } }) => ({
    timeMS: createdAt.getTime(),
    code: 'BANNED_IN_ROOM',
    subject: { kind: 'room', id: room },
    reason: `${blocker === '' ? 'an API key' : blocker} banned ${blockee} in the room ${endOf(untilMS)}: only reading is allowed`,
    about: { user: blockee, ...(blocker !== '' && { by: blocker }), ...(untilMS !== undefined && { untilMS }) },
    refs: { room, user: blockee },
  }),

  'app ban': ({ user, ban: { atMS, untilMS } }) => ({
    timeMS: atMS,
    code: 'BANNED_FROM_APP',
    subject: { kind: 'user', id: user },
    reason: `${user} was banned from the app ${endOf(untilMS)}: logins and calls are refused`,
    about: { user, ...(untilMS !== undefined && { untilMS }) },
    refs: { user },
  }),

  report({ report: { id, message, room, sender, createdAtMS, status, decision, count }, by }) {
    const who = by ? `${by.client} reported` : count === 1 ? 'a user reported' : `${count} users reported`
    const why = by ? `: ${by.reason}` : ''
    const then = status === 'open' ? 'it is open' : `it was decided: ${decision ?? ''}`
    return {
      timeMS: createdAtMS,
      code: status === 'open' ? 'REPORT_OPEN' : 'REPORT_DECIDED',
      subject: { kind: 'report', id },
      reason: `${who} a message of ${sender}${why}; ${then}`,
      about: {
        user: sender,
        ...(by ? { by: by.client, detail: by.reason } : { count }),
        ...(decision !== undefined && { decision }),
      },
      refs: { report: id, message, room, user: by?.client ?? sender },
    }
  },

  audit({ entry: { id, atMS, actor, actorName, action, subject, request } }) {
    const colon = subject.indexOf(':')
    const kind = subject.slice(0, colon)
    const known = kind === 'user' || kind === 'room' || kind === 'message' ? kind : 'other'
    return {
      timeMS: atMS,
      code: 'AUDIT',
      subject: { kind: known, id: subject.slice(colon + 1) },
      reason: `${actorName === undefined ? actor : `${actorName} (${actor})`} called ${action}`,
      about: { actor: actorName === undefined ? actor : `${actorName} (${actor})`, action },
      refs: { audit: id, actor, ...(request !== undefined && { request }) },
    }
  },
}

type State = NonNullable<TimelineAbout['state']>

function stateOf({ readSeq, deliveredSeq = 0 }: NonNullable<RecordOf<'message'>['reader']>, seq: number): State {
  if (readSeq === undefined) return 'no member'
  if (seq <= readSeq) return 'read'
  return seq <= deliveredSeq ? 'arrived' : 'not reported'
}

const stateWords: Record<State, (user: string) => string> = {
  'no member': (user) => `${user} is not a member now`,
  read: (user) => `${user} has read it`,
  arrived: (user) => `it reached a device of ${user}, but ${user} has not read it`,
  'not reported': (user) => `no device of ${user} reported receiving it, and ${user} has not read it`,
}
