import type { RobotCommand } from '@parley/contracts/resources/command'
import type { DeviceType } from '@parley/contracts/resources/push/network'
import type { UserNotifications } from '@parley/contracts/resources/push/notification-settings'
import type { Address } from '@parley/contracts/resources/user'

export interface BlockDoc {
  /** key(app, blocker, blockee) */
  _id: string
  app: string
  blocker: string
  blockerKey: string
  blockee: string
  createdAt: Date
}

/** A device registered by POST /me/subscribe: its token at a push network. */
export interface DeviceDoc {
  /** key(app, user, device) */
  _id: string
  app: string
  user: string
  userKey: string
  device: string
  type: DeviceType
  /** For `web`: the PushSubscription as JSON text. */
  token: string
  /** BCP 47. */
  language?: string
  /** The APNs topic of the token, learned from sending. */
  topic?: string
  /** Why its last push failed. */
  lastError?: { reason: string; atMS: number }
  updatedAt: Date
}

/** Assigns a push token to its one device. */
export interface DeviceTokenDoc {
  /** key(app, pushTokenId(token)) */
  _id: string
  /** The `_id` of the device. */
  device: string
}

/** One personal preference of a user. */
export interface PrefDoc {
  /** key(app, user, name) */
  _id: string
  userKey: string
  name: string
  /** The value as JSON text. */
  json: string
}

export interface TokenDoc {
  /** key(app, digest): a token belongs to one user of an app. */
  _id: string
  app: string
  user: string
  userKey: string
  /** SHA-256 of the token; the token itself is not stored. */
  digest: string
  expiresAt: Date
  /** For the TTL. Until then, a client with the expired token is not mistaken for one that guesses tokens. */
  forgetAt: Date
  createdAt: Date
  /** Time of the last request, to the hour; absent before the first. */
  lastUsedAt?: Date
  /** The device that the token is for, or that its issuer names. */
  device?: string
  /** Set on a token of the app's own issuer. */
  login?: { issuerId: string; issuedAt: Date; jti?: string }
  /**
   * SHA-256 of a JWT without its signature, which anyone can write in other valid forms. An issuer of the app could vouch
   * for the token again, so its document stays when it is ended.
   */
  signed?: string
  /** Revoked, or a mark that revokes tokens not presented yet (login-marks.ts). */
  ended?: true
}

export interface UserDoc {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  nickname: string
  /** Searchable forms of the name, matched by prefix (searched-names.ts); absent in a user group. */
  names?: string[]
  description: string
  email?: string
  avatarUrl: string
  isRobot: boolean
  isAdmin: boolean
  /** Commands of a robot, `/name`. */
  commands?: RobotCommand[]
  address?: Address
  userAgent?: string
  notify?: UserNotifications
  lastLoginTimeMS: number
  /** When the user's last socket closed. */
  lastSeenMS?: number
  lastJoinOrCreateRoomTime?: Date
  createdAt: Date
  updatedAt: Date
  /** Set on a user group: a virtual user that stands for these members. */
  groupMembers?: string[]
  /** Number of locks: see lock-user.ts. */
  takes?: number
  /** Ban from the app; may have expired. */
  ban?: AppBan
  /** Counts the changes of the profile (`__v`). */
  revision: number
  /** The latest export that the user requested. */
  exported?: { job: string; atMS: number }
}

/** A ban from the app: its start, and its end unless it is permanent. */
export interface AppBan {
  atMS: number
  untilMS?: number
}
