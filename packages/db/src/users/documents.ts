import type { RobotCommand } from '@parley/contracts/resources/command'
import type { UserNotifications } from '@parley/contracts/resources/notification-settings'
import type { DeviceType } from '@parley/contracts/resources/push/network'
import type { Address } from '@parley/contracts/resources/user'

/** A personal block of one user by another. */
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
  /** Of `web`: the PushSubscription as JSON text. */
  token: string
  /** BCP 47. */
  language?: string
  /** The APNs topic of the token, found by sending. */
  topic?: string
  updatedAt: Date
}

/** A push token of an app: one device has it. */
export interface DeviceTokenDoc {
  /** key(app, token) */
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
  /** When the document goes: until then, a client that still uses the expired token is known not to guess. */
  forgetAt: Date
  createdAt: Date
  /** Time of the last request, to the hour; absent before the first. */
  lastUsedAt?: Date
  /** The device that it is for, or that its issuer names. */
  device?: string
  /** Of an issuer of the app: it could come again, so its document stays when it is ended. */
  login?: { issuedAt: Date; jti?: string }
  /** Ended before its time, or a mark that ends what nobody has presented yet (login-marks.ts). */
  ended?: true
}

export interface UserDoc {
  /** key(app, id) */
  _id: string
  app: string
  id: string
  nickname: string
  /** The user is found by their beginnings (searched-names.ts); a user group has none. */
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
  /** When their last socket closed. */
  lastSeenMS?: number
  lastJoinOrCreateRoomTime?: Date
  createdAt: Date
  updatedAt: Date
  /** Set on a user group: a virtual user that stands for these members. */
  groupMembers?: string[]
  /** How often they were locked: see lock-user.ts. */
  takes?: number
  /** From the app; it may have ended. */
  ban?: AppBan
  /** Tokens of the app's own login are refused that were issued until then. */
  loginsFrom?: Date
  /** Counts the changes of the profile (`__v`). */
  revision: number
  /** The latest export that they asked for. */
  exported?: { job: string; atMS: number }
}

/** A ban from the app: its start, and its end if it has one. */
export interface AppBan {
  atMS: number
  untilMS?: number
}
