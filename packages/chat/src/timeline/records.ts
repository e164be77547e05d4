import type { ActivityAnswer } from '@parley/contracts/bus/node-requests'
import type { ExplainedDevice, PushReason } from '@parley/contracts/resources/push/explanation'
import type { AuditDoc } from '@parley/db/audit/documents'
import type { ScheduledDoc } from '@parley/db/messages/documents'
import type { MessageHead } from '@parley/db/messages/messages-of-rooms'
import type { ReportDoc } from '@parley/db/moderation/documents'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import type { BanDoc } from '@parley/db/rooms/documents'
import type { TracedMembership } from '@parley/db/rooms/memberships'
import type { AppBan, UserDoc } from '@parley/db/users/documents'

export type TracedMessage = Pick<
  MessageHead,
  | '_id'
  | 'room'
  | 'seq'
  | 'sender'
  | 'messageType'
  | 'createdAtMS'
  | 'system'
  | 'isDeleted'
  | 'recalled'
  | 'edited'
  | 'push'
  | 'streaming'
  | 'request'
>

export type TimelineRecord =
  /** `reader` is set in a user's timeline: the user, with their markers if they are a member. */
  | { of: 'message'; message: TracedMessage; reader?: { user: string; readSeq?: number; deliveredSeq?: number } }
  /** A node delivered a message to sockets; `devices` are those of the user connected there. */
  | {
      of: 'delivery'
      atMS: number
      message: Pick<TracedMessage, '_id' | 'room'>
      node: string
      sockets: number
      caughtUp: boolean
      devices: readonly string[]
    }
  /** Why no device of a user got a push for a message. */
  | { of: 'no push'; atMS: number; message: Pick<TracedMessage, '_id' | 'room'>; reason: PushReason; call?: string }
  | { of: 'push'; atMS: number; message: Pick<TracedMessage, '_id' | 'room'>; device: ExplainedDevice }
  | { of: 'call'; call: Omit<OutgoingCallDoc, 'data'> }
  | { of: 'activity'; node: string; activity: ActivityAnswer[number] }
  | { of: 'live'; node: string; device: string; transport: string; sinceMS: number }
  | { of: 'last login'; user: Pick<UserDoc, 'lastLoginTimeMS' | 'address'> }
  | { of: 'last seen'; atMS: number }
  | { of: 'refused'; scheduled: Pick<ScheduledDoc, 'id' | 'room' | 'sendAtMS' | 'refused'> }
  | { of: 'read'; membership: Pick<TracedMembership, 'room' | 'readSeq' | 'deliveredSeq'>; atMS: number }
  | { of: 'joined'; membership: Pick<TracedMembership, 'room' | 'user' | 'joinedAtMS'> }
  | { of: 'token'; what: 'issued' | 'used' | 'expired'; atMS: number; fingerprint: string }
  | { of: 'ban'; ban: Pick<BanDoc, 'room' | 'blockee' | 'blocker' | 'createdAt' | 'untilMS'> }
  | { of: 'app ban'; user: string; ban: AppBan }
  | {
      of: 'report'
      report: Pick<ReportDoc, 'id' | 'message' | 'room' | 'sender' | 'createdAtMS' | 'status' | 'decision' | 'count'>
      by?: { client: string; reason: string }
    }
  | { of: 'audit'; entry: AuditDoc }
