import type { NotificationsOfRoom } from '@parley/contracts/resources/notification-settings'
import type { RoomType } from '@parley/contracts/resources/room'
import type { RoomPref } from '@parley/contracts/resources/room-pref'
import type { RoomBuffer } from '../room-buffer/documents.ts'

/** An active ban: the user is read-only in the room. */
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
  /** The same, for MongoDB to remove it. */
  expiresAt?: Date
}

/** The direct room of a pair. */
export interface DirectRoomDoc {
  /** Both users in order, as key(app, a, b): one room per pair, on any number of shards. */
  _id: string
  roomKey: string
}

/** An open invitation to a group. */
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
  /** Messages after the marker that do not count as unread: own ones, deleted for all, deleted by this user. */
  uncounted: number
  /** Up to this seq, own messages in the room's buffer are counted in `uncounted` (room-buffer/flush.ts). */
  flushedSeq?: number
  /** The member deleted no later message of the room for themselves; earlier ones they may have, also before rejoining. */
  hiddenUpToSeq?: number
  /** The delivery marker: seq of the last message that has reached the user. Read implies delivered. */
  deliveredSeq?: number
  /** When the member last reported a read position. */
  markerSetAtMS?: number
  /** Banned in this room, or in a direct room blocked by the other user: read-only. */
  blocked?: true
  /** When the ban ends; a ban without it, and a block, have no end. */
  blockedUntilMS?: number
  pref?: StoredPref
  /** The member's notifications of the room, or of the thread. */
  notify?: NotificationsOfRoom
  /** When the member last sent to a thread of the room, while it has slow mode. */
  threadSentAtMS?: number
}

export interface RoomDoc extends RoomBuffer {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  roomType: RoomType
  name: string
  /** The room is found by their beginnings (searched-names.ts); absent in a deleted room. */
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
  /** Seconds between two messages of a member; 0 or absent: no limit. */
  slowModeS?: number
  /** Seconds until a message without its own expiry expires; 0 or absent: never. */
  expiresInS?: number
  /** Days after which its messages go; 0 or absent: by the app's configuration. */
  retentionDays?: number
  owner?: string
  managers: string[]
  /** `parley import` writes its messages: sends are refused until it has ended. */
  importing?: true
  /** Set on a deleted room: gone from every list. */
  deletedAt?: Date
  /** On a direct room, its `_id` in `directRooms`: its two members in order, as key(app, a, b). */
  pair?: string
  createdAtMS: number
  /**
   * Changes with everything that decides a send: members, bans, blocks, the room's fields, deletions. Absent in an unchanged room.
   */
  version?: number
  /** seq of the last message; with `goneUpToSeq` the number of messages, since seq has no gaps. */
  seq: number
  /** Every message up to this seq is gone by retention, except the roots of threads that go on. */
  goneUpToSeq?: number
  /** Retention has found no message from before this time; absent: unknown, or there was none. */
  oldestAtMS?: number
  /** The highest updated time given to a message here; grows with every write, so that a cursor never skips one. */
  clockMS: number
  lastMessageID?: string
  lastMessageAtMS: number
  /** The same in whole minutes, for sorted lists: an index on it costs a send something only once a minute. */
  lastMinute: number
  /** Every message up to this seq is deleted for all, even if its document does not say so yet. */
  deletedUpToSeq?: number
  /** Every message of its threads up to this time is, too. */
  deletedUpToMS?: number
  /** When the last message was sent to one of its threads. */
  lastThreadAtMS?: number
  /** Unfinished deletion of all messages, which continues in the background: see erase-messages. */
  erasing?: Erasing
  memberCount: number
  /** The first members, to show in lists without reading all memberships. */
  firstMembers: string[]
}

/** The colours are JSON text, because a tag may have any name. */
type StoredPref = Partial<Omit<RoomPref, 'tagColors'> & { tagColors: string }>

/** An unfinished deletion of all messages of a room. */
export interface Erasing {
  /** The documents of the messages up to this seq are stubs. */
  doneUpToSeq: number
  /** No other process works on it before this time. */
  leaseUntilMS: number
  /** ID of the deletion until the bus has its event; messages sent since then are published after it. */
  unpublished?: string
}
