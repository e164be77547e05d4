import type { ActivityAnswer } from '@parley/contracts/bus/node-requests'
import { defined } from '@parley/contracts/defined'
import type { ExplainedDevice, PushReason } from '@parley/contracts/resources/push/explanation'
import { pushNetworkNames } from '@parley/contracts/resources/push/network'
import type { TimelineEntry } from '@parley/contracts/resources/timeline-entry'
import { closeReasons } from '@parley/contracts/socket/close-reasons'
import type { OutgoingCallDoc } from '@parley/db/push/documents'

export const noPush: Record<PushReason, string> = {
  NO_DEVICE: 'the user has registered no device for push',
  CONNECTED: 'the user was connected and heard the message live',
  MUTED: 'the user muted the room and was not mentioned',
  MUTED_FOR_NOW: 'the user muted notifications for a time and was not mentioned by name',
  LEVEL_OF_THREAD: "by the user's level for the thread",
  LEVEL_OF_TYPE_IN_ROOM: "by the user's level for the message type in the room",
  LEVEL_OF_ROOM: "by the user's level for the room",
  LEVEL_OF_TYPE: "by the user's level for the message type",
  LEVEL_OF_USER: "by the user's own level",
  LEVEL_OF_APP: "by the app's level for the room type",
  DO_NOT_DISTURB: 'the user had do not disturb on at that time',
  BANNED: 'the user was banned',
  BLOCKED: 'the user blocks the sender',
  SENDER: 'the user sent it',
  ROBOT: 'the user is a bot',
  PUSH_FALSE: 'the sender requested no push',
  STREAMING: 'the message is being streamed; it is pushed when it ends',
  NOT_A_MEMBER: 'the user was not a member of the room when it was sent',
  NOT_IN_THREAD: 'the user does not take part in the thread',
  PUSH_GENERIC: 'The push went to PUSH_GENERIC, in a call that names the user',
  DELETED: 'the message was deleted before it was handled',
  LATE: 'the message was handled too late',
  NO_NETWORK: 'no push network with credentials serves the device',
  NOT_RECORDED: 'no record exists',
}

const deviceReasons: Readonly<Record<string, string>> = {
  ...noPush,
  CONNECTED: 'the device was connected and heard the message live',
}

export function outcomeInWords(device: ExplainedDevice): Pick<TimelineEntry, 'code' | 'reason' | 'about'> {
  const { deviceId, outcome, reason = '', tries = 0, lastError, nextTryAtMS, tokenRemoved } = device
  const network = device.network === undefined ? 'the network' : pushNetworkNames[device.network]
  const about = {
    devices: [deviceId],
    ...(device.network !== undefined && { network }),
  }
  switch (outcome) {
    case 'not sent':
      return { code: `PUSH_${reason}`, about, reason: `No push to ${deviceId}: ${deviceReasons[reason] ?? reason}` }
    case 'sent':
      return { code: 'PUSH_SENT', about, reason: `${network} accepted the push to ${deviceId}` }
    case 'refused': {
      const removed = tokenRemoved === true ? '; the device token was removed' : ''
      return {
        code: 'PUSH_REFUSED',
        about: { ...about, error: reason, ...(tokenRemoved === true && { tokenRemoved }) },
        reason: `${network} refused the push to ${deviceId}: ${reason}${removed}`,
      }
    }
    case 'given up':
      return {
        code: 'PUSH_GIVEN_UP',
        about: { ...about, error: reason },
        reason: `the push to ${deviceId} was given up: ${reason}`,
      }
    case 'waiting': {
      const failed = tries === 0 ? '' : ` after ${tries} failed ${tries === 1 ? 'attempt' : 'attempts'}`
      const why = lastError === undefined ? '' : `: ${lastError}`
      const next = nextTryAtMS === undefined ? '' : `; next attempt ${new Date(nextTryAtMS).toISOString()}`
      return {
        code: 'PUSH_WAITING',
        about: { ...about, tries, ...defined({ error: lastError, nextTryAtMS }) },
        reason: `the push to ${deviceId} is waiting${failed}${why}${next}`,
      }
    }
    case 'sending':
      return { code: 'PUSH_SENDING', about, reason: `the push to ${deviceId} was started, but has no recorded outcome` }
    default:
      return outcome satisfies never
  }
}

export function callInWords(call: Omit<OutgoingCallDoc, 'data'>): Pick<TimelineEntry, 'reason' | 'about'> {
  const { kind, event, state, tries, lastError = '', lastTry } = call
  const callName = kind === 'push' ? 'the call to PUSH_GENERIC' : `the ${event} call to the room's webhook`
  const about = { ...(kind === 'webhook' && { event }), tries }
  switch (state) {
    case 'done': {
      if (lastTry?.status === undefined) return { about, reason: `${callName} was made` }
      const { status, durationMS } = lastTry
      return {
        about: { ...about, status, durationMS },
        reason: `${callName} was made and answered with ${status} in ${durationMS} ms`,
      }
    }
    case 'failed':
      return {
        about: { ...about, error: lastError },
        reason: `${callName} failed for good after ${tries} ${tries === 1 ? 'attempt' : 'attempts'}: ${lastError}`,
      }
    case 'waiting':
      if (tries === 0) return { about, reason: `${callName} is waiting` }
      return {
        about: { ...about, error: lastError },
        reason: `${callName} is waiting after ${tries} failed: ${lastError}`,
      }
    default:
      return state satisfies never
  }
}

/** A login, an end of a connection, or a refusal. */
export function activityInWords(
  activity: ActivityAnswer[number],
): Pick<TimelineEntry, 'code' | 'reason' | 'about' | 'subject' | 'refs'> {
  const { what, device, transport = '', call = '', room, code = '', reason = '', request } = activity
  const refs = defined({ device, room, request })
  const shown = device ?? 'a device'
  const subject = { kind: 'device' as const, id: device ?? '' }
  const devices = device === undefined ? [] : [device]
  switch (what) {
    case 'connected':
      return {
        code: 'CONNECTED',
        subject,
        refs,
        about: { devices, transport },
        reason: `${shown} logged in by ${transport}`,
      }
    case 'closed': {
      const why = Object.entries(closeReasons).find(([name]) => name === reason)?.[1].why
      return {
        code: 'DISCONNECTED',
        subject,
        refs,
        about: { devices, error: reason },
        reason: `${shown} disconnected: ${reason}${why === undefined ? '' : ` (${why})`}`,
      }
    }
    case 'refused':
      return {
        code: 'REFUSED',
        subject: { kind: 'other', id: call },
        refs,
        about: { call, error: code, detail: reason },
        reason: `${call} was refused: ${code} ${reason}`.trimEnd(),
      }
    default:
      return what satisfies never
  }
}

export const tokenWords = {
  issued: 'a token was issued',
  used: 'the token was used over HTTP, recorded once an hour',
  expired: 'the token expired: calls and logins with it are refused',
} as const

export function endOf(untilMS: number | undefined): string {
  return untilMS === undefined ? 'indefinitely' : `until ${new Date(untilMS).toISOString()}`
}
