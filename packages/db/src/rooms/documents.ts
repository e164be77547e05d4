import type { NotificationsOfRoom } from '@parley/contracts/resources/push/notification-settings'
import type { RoomType } from '@parley/contracts/resources/room'
import type { RoomPref } from '@parley/contracts/resources/room-pref'
import type { RoomBuffer } from '../room-buffer/documents.ts'

export interface BanDoc {
  /** key(app, room, blockee) */
  _id: string
  app: string
  room: string
  roomKey: string
  blockee: string
  blocker: string
  createdAt: Date
  /** End of the ban; absent if it has none. */
  untilMS?: number
  /** Same as `untilMS`, for the TTL index. */
  expiresAt?: Date
}

export interface DirectRoomDoc {
  /** key(app, a, b) with sorted users, so that a pair has one room, also across shards. */
  _id: string
  roomKey: string
}

export interface InvitationDoc {
  /** key(app, room, invitee): a user has one open invitation to a room at a time. */
  _id: string
  /** The `_id` that clients see. */
  id: string
  app: string
  room: string
  inviter: string
  invitee: string
  createdAt: Date
  updatedAt: Date
}

export interface MembershipDoc {
  /** key(app, room, user) */
  _id: string
  app: string
  room: string
  roomKey: string
  user: string
  userKey: string
  joinedAtMS: number
  /** The read marker: seq of the last message that the user has read. */
  readSeq: number
  /** Number of messages after the marker that do not count as unread: own, deleted for all, or deleted by this user. */
  uncounted: number
  /** Own messages up to this seq are counted in `uncounted` (room-buffer/flush.ts). */
  flushedSeq?: number
  /** The member has deleted no message after this seq for themselves. Earlier ones possibly, also before rejoining. */
  hiddenUpToSeq?: number
  /** The delivery marker: seq of the last message delivered to the user. Read implies delivered. */
  deliveredSeq?: number
  /** When the member last reported a read position. */
  markerSetAtMS?: number
  /** Read-only: banned in this room, or blocked by the other user of a direct room. */
  blocked?: true
  /** When the ban ends; absent for a block or a permanent ban. */
  blockedUntilMS?: number
  pref?: StoredPref
  /** The member's notification setting for the room or thread. */
  notify?: NotificationsOfRoom
  /** When the member last sent to a thread of the room, if the room has slow mode. */
  threadSentAtMS?: number
}

export interface RoomDoc extends RoomBuffer {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  roomType: RoomType
  name: string
  /** Searchable forms of the name, matched by prefix (searched-names.ts); absent in a deleted room. */
  names?: string[]
  cover: string
  description: string
  webhook: string
  botState: string
  botMode: boolean
  encrypted: boolean
  serviceStatus: number
  roomTags: string[]
  /** An object as JSON text. */
  extParams: string
  status: 0 | 1
  opening: 0 | 1
  /** Slow mode: minimum seconds between a member's messages; 0 or absent: no limit. */
  slowModeS?: number
  /** Seconds until a message without its own expiry expires; 0 or absent: never. */
  expiresInS?: number
  /** Days after which messages are removed; 0 or absent: as configured for the app. */
  retentionDays?: number
  owner?: string
  managers: string[]
  /** `parley import` is writing to the room, so sends are refused. */
  importing?: true
  /** Set on a deleted room, which no list shows. */
  deletedAt?: Date
  /** Of a direct room: its `_id` in `directRooms`, key(app, a, b). */
  pair?: string
  createdAtMS: number
  /** Changes with everything that a send depends on: members, bans, blocks, the room's fields, deletions. */
  version?: number
  /** seq of the last message. seq has no gaps, so `seq - goneUpToSeq` is the number of messages. */
  seq: number
  /** Retention has removed every message up to this seq, except the roots of threads that still have messages. */
  goneUpToSeq?: number
  /** Retention found no message from before this time; absent if unknown, or if there were no messages. */
  oldestAtMS?: number
  /**
   * The highest `updatedAtMS` or `joinedAtMS` assigned in this room. Increases with every write, so that a cursor never
   * skips a message, and a join is between the messages before and after it.
   */
  clockMS: number
  lastMessageID?: string
  lastMessageAtMS: number
  /** `lastMessageAtMS` in whole minutes, for sorted lists: sends update its indexes at most once a minute. */
  lastMinute: number
  /** Every message up to this seq is deleted for all, even if its document is not a stub yet. */
  deletedUpToSeq?: number
  /** Every thread message up to this time is deleted for all. */
  deletedUpToMS?: number
  /** When the last message was sent to a thread of the room. */
  lastThreadAtMS?: number
  /** Unfinished deletion of all messages, continued in the background: see erase-messages. */
  erasing?: Erasing
  memberCount: number
  /** When members were last added, by the room's clock; absent before the first time. */
  joinedAtMS?: number
  /** The first members, to show in lists without reading all memberships. */
  firstMembers: string[]
}

/** `tagColors` is JSON text, since a tag can have any name. */
type StoredPref = Partial<Omit<RoomPref, 'tagColors'> & { tagColors: string }>

/** An unfinished deletion of all messages of a room. */
export interface Erasing {
  /** Messages up to this seq are stubs. */
  doneUpToSeq: number
  leaseUntilMS: number
  /** ID of the deletion until the bus has its event. Later messages are published after that event. */
  unpublished?: string
}
