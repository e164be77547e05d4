// Generated from packages/contracts by `npm run docs:client`. Do not edit.
export type SendBatchResult =
  | (
      | {
          result: SentMessage
        }
      | {
          error: {
            code: string
            message: string
          }
        }
    )[]
  | {
      /** Job ID: see GET /admin/jobs/{id} */
      job: string
    }
export type SendMessageResult = SentMessage
export type WriteMessageResult = SentMessage
export type AddReactionResult = Message
export type RemoveReactionResult = Message
export type CancelScheduledResult = ScheduledMessage
export type ChangeScheduledResult = ScheduledMessage
export type ScheduleMessageResult = ScheduledMessage
export type SaveBookmarkResult = SavedMessage
export type SetReminderResult = SavedMessage
export type CreateFileResult = NewFile
export type GetFileResult = File
export type MarkUploadedResult = File
export type EndStreamResult = SentMessage
export type OpenStreamResult = SentMessage
export type PinMessageResult = Message
export type UnpinMessageResult = Message
export type CreateRoomResult = Room
export type DeleteRoomResult = Room
export type GetRoomResult = Room
export type UpdateRoomResult = Room
export type ListCommandsResult = {
  name: string
  description: string
  /** User ID */
  robot: string
}[]
export type MuteRoomResult = User
export type MuteUserResult = AdminUser
export type UnmuteRoomResult = User
export type UnmuteUserResult = AdminUser
export type DeclineInvitationResult = Invitation
export type JoinRoomResult = Room
export type RemoveMembersResult = Room
export type SetMemberRoleResult = Room
export type EraseUserResult =
  | {}
  | {
      /** Job ID: see GET /admin/jobs/{id} */
      job: string
    }
export type SaveUserResult =
  | SavedUser
  | {
      /** User ID */
      _id: string
      nickname: string
      avatarUrl: string
      issueAccessToken: boolean
      token: string
      /** ISO-8601 time */
      expirationDate: string
    }
export type StartChatResult = Room
export type GetMeResult = User
export type SaveGroupResult = UserGroup
export type GetMyNotificationsResult = UserNotifications
export type GetMyRoomNotificationsResult = NotificationsOfRoom
export type GetMyThreadNotificationsResult = ThreadNotifications
export type GetNotificationsResult = UserNotifications
export type GetRoomNotificationsResult = NotificationsOfRoom
export type SetMyNotificationsResult = UserNotifications
export type SetMyRoomNotificationsResult = NotificationsOfRoom
export type SetMyThreadNotificationsResult = ThreadNotifications
export type SetNotificationsResult = UserNotifications
export type SetRoomNotificationsResult = NotificationsOfRoom
export type RevokeKeyResult = ApiKey
export type InspectBansResult = Ban[]
export type InspectRoomResult = AdminRoom
export type GetSessionResult = OperatorSession
export type SignInResult = OperatorSession
export type SignInByLinkResult = OperatorSession
export type ChangePasswordResult = OperatorSession
export type AddPasskeyResult = Passkey
export type RenamePasskeyResult = Passkey
export type SignInByPasskeyResult = OperatorSession
export type ChangeOperatorResult = Operator
export type BanMemberResult = Ban
export type ListBansResult = Ban[]
export type UnbanMemberResult = Ban
export type BanUserResult = AdminUser
export type UnbanUserResult = AdminUser
export type BlockUserResult = Block
export type ListBlocksResult = Block[]
export type UnblockUserResult = Block
export type DecideReportResult = Report
export type WhyPushResult = PushExplanation
export type GetJobResult = Job
export type LiftHoldResult = Hold
export type PlaceHoldResult = Hold
export type ExportMeResult = {
  /** Job ID: see GET /admin/jobs/{id} */
  job: string
}
export type ExportUserResult = {
  /** Job ID: see GET /admin/jobs/{id} */
  job: string
}
export type GetMyExportResult = Job
export type ErrorCode =
  | 'INVALID_TAGS'
  | 'INVALID_QUERY'
  | 'INVALID_BODY'
  | 'ROOM_NOT_MUTED'
  | 'MISSING_PARAMETER'
  | 'INVALID_USER_ID'
  | 'INVALID_REQUEST'
  | 'INVALID_ENCODING'
  | 'INVALID_TOKEN'
  | 'INVALID_CLIENT_KEY'
  | 'INVALID_API_KEY'
  | 'INVALID_SESSION'
  | 'SIGN_IN_FAILED'
  | 'TOTP_REQUIRED'
  | 'UNAUTHORIZED'
  | 'NOT_ROOM_MEMBER'
  | 'NOT_IN_THREAD'
  | 'FILE_URL_INVALID'
  | 'PERMISSION_DENIED'
  | 'INSUFFICIENT_PERMISSIONS'
  | 'USER_BLOCKED'
  | 'USER_BANNED'
  | 'ROOM_FROZEN'
  | 'DIRECTORY_OFF'
  | 'MESSAGE_REFUSED'
  | 'ROOM_CLOSED'
  | 'NOT_FOUND'
  | 'UNKNOWN_EVENT'
  | 'ROOM_NOT_FOUND'
  | 'CLIENT_NOT_FOUND'
  | 'TOKEN_NOT_FOUND'
  | 'CONFIG_NOT_FOUND'
  | 'BLOCK_NOT_FOUND'
  | 'ROOM_OR_USER_NOT_FOUND'
  | 'MESSAGE_NOT_FOUND'
  | 'INVITATION_NOT_FOUND'
  | 'PREF_NOT_FOUND'
  | 'HOLD_NOT_FOUND'
  | 'JOB_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'SCHEDULED_NOT_FOUND'
  | 'FILE_NOT_FOUND'
  | 'API_KEY_NOT_FOUND'
  | 'OPERATOR_NOT_FOUND'
  | 'SESSION_NOT_FOUND'
  | 'REPORT_NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'REQUEST_TIMEOUT'
  | 'USER_ALREADY_BLOCKED'
  | 'USER_EXISTS'
  | 'CONFLICT'
  | 'TOO_MANY_SCHEDULED'
  | 'TOO_MANY_SAVED'
  | 'TOO_MANY_HOLDS'
  | 'UNDER_HOLD'
  | 'TOO_MANY_KEYS'
  | 'TOO_MANY_PREFS'
  | 'FILE_UPLOADED'
  | 'UPLOAD_REPLACED'
  | 'FILE_TYPE_MISMATCH'
  | 'FILES_FULL'
  | 'REPORT_DECIDED'
  | 'ROOM_EXISTS'
  | 'ROOM_IMPORTING'
  | 'CURSOR_GONE'
  | 'MESSAGE_TOO_LARGE'
  | 'BODY_TOO_LARGE'
  | 'FILE_TOO_LARGE'
  | 'RESULT_TOO_LARGE'
  | 'URI_TOO_LONG'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'TOO_MANY_REQUESTS'
  | 'SLOW_MODE'
  | 'HEADERS_TOO_LARGE'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE'
  | 'OVERLOADED'
  | 'STORAGE_FULL'

export interface ListMessagesInput {
  /** Room ID */
  id: string
  /** Maximum number of messages */
  limit?: number
  /** Messages before the current position of this message */
  beforeMessage?: string
  /** Messages after the current position of this message */
  afterMessage?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt' | 'messageTime'
}
export interface Message {
  /** Message ID */
  _id: string
  /** Message ID */
  id: string
  /** Content; absent in deleted and recalled messages */
  message?: unknown
  /** Room ID */
  room: string
  messageType: string
  appID: string
  /** ISO-8601 time */
  messageTime: string
  /** Milliseconds since 1970-01-01 UTC */
  messageTimeMS: number
  /** Milliseconds since 1970-01-01 UTC */
  updatedAtMS: number
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
  reactions: Reaction[]
  reactionCount: number
  isDeleted: boolean
  /** Consecutive number in its room or thread: 1, 2, 3… */
  seq: number
  /** Items: User ID */
  mentions?: string[]
  /** Files; see GET /files/{id} for download URLs */
  attachments?: Attachment[]
  /** Written by the server about a change of members */
  system?: boolean
  pinned?: boolean
  /** The content was replaced */
  edited?: boolean
  /** A robot is still streaming it */
  streaming?: boolean
  /** When it expires and becomes a stub, as if deleted for everyone */
  expiresAtMS?: number
  clientMessageID?: string
  /** Message in the same room that this one replies to */
  replyTo?: Quote
  /** Root of its thread; `seq` counts in the thread */
  threadOf?: string
  /** Number of messages in its thread */
  threadCount?: number
  /** `seq` of the latest message in its thread */
  threadLatestSeq?: number
  /** Latest message in its thread */
  lastThreadMessage?: Quote
  /**
   * First five participants of its thread
   *
   * Items: User ID
   */
  threadParticipants?: string[]
  sender: Sender
}
export interface Reaction {
  /** User ID */
  client: string
  reaction: string
}
export interface Attachment {
  /** File ID */
  fileID: string
  /** Name given by the sender */
  name: string
  /** Media type */
  type: string
  /** Bytes */
  size: number
  /** Pixels, as given by the sender */
  width?: number
  /** Pixels, as given by the sender */
  height?: number
  /** Seconds, as given by the sender */
  duration?: number
}
export interface Quote {
  /** Message ID */
  _id: string
  /** User ID */
  sender: string
  messageType: string
  /** First 200 characters of its text, or of `text` in its content; empty if there is none, or once deleted or recalled */
  text: string
  isDeleted: boolean
}
export interface Sender {
  /** User ID */
  _id: string
  /** User ID */
  id: string
  nickname: string
  description: string
  avatarUrl: string
  isRobot?: boolean
  /** 0 if the user never logged in */
  lastLoginTimeMS: number
}
export interface ListMessagesResult {
  /** Number of messages in the room */
  totalCount: number
  /** `seq` of the latest message, or 0 */
  latestSeq: number
  data: Message[]
  /** Messages of this page that the caller deleted for themselves. `data` includes them; clients hide them */
  userDeletedIDs: string[]
  /** Diagnostic only */
  inspect: {
    query: unknown
    tookMS: number
  }
}
export interface SendBatchInput {
  /** Content: any JSON, at most 64 KiB */
  message: unknown
  /** Free-form type, e.g. text, image, announcement; except joinRoom, addMembers, leaveRoom, deleteMember */
  messageType: string
  /** Required: without it, every outcome is an error */
  sender?: string
  push?: boolean
  skipTotalBadge?: boolean
  /** Seconds until the message expires; 0 for never. Default: the room’s setting */
  expiresInS?: number
  /** Uploaded files of the sender; given name, type and size are ignored */
  attachments?: {
    /** File ID */
    fileID: string
    /** Name given by the sender */
    name?: string
    /** Media type */
    type?: string
    /** Bytes */
    size?: number
    /** Pixels, as given by the sender */
    width?: number
    /** Pixels, as given by the sender */
    height?: number
    /** Seconds, as given by the sender */
    duration?: number
  }[]
  /** Recipients with the texts of their patterns */
  paras: {
    /** User ID */
    receiver?: string
    /** Room ID */
    room?: string
    [k: string]: string | undefined
  }[]
}
export interface SentMessage {
  /** Message ID */
  _id: string
  /** Message ID */
  id: string
  /** Content; absent in deleted and recalled messages */
  message?: unknown
  /** Room ID */
  room: string
  messageType: string
  appID: string
  /** ISO-8601 time */
  messageTime: string
  /** Milliseconds since 1970-01-01 UTC */
  messageTimeMS: number
  /** Milliseconds since 1970-01-01 UTC */
  updatedAtMS: number
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
  reactions: Reaction[]
  reactionCount: number
  isDeleted: boolean
  /** Consecutive number in its room or thread: 1, 2, 3… */
  seq: number
  /** Items: User ID */
  mentions?: string[]
  /** Files; see GET /files/{id} for download URLs */
  attachments?: Attachment[]
  /** Written by the server about a change of members */
  system?: boolean
  pinned?: boolean
  /** The content was replaced */
  edited?: boolean
  /** A robot is still streaming it */
  streaming?: boolean
  /** When it expires and becomes a stub, as if deleted for everyone */
  expiresAtMS?: number
  clientMessageID?: string
  /** Message in the same room that this one replies to */
  replyTo?: Quote
  /** Root of its thread; `seq` counts in the thread */
  threadOf?: string
  /** Number of messages in its thread */
  threadCount?: number
  /** `seq` of the latest message in its thread */
  threadLatestSeq?: number
  /** Latest message in its thread */
  lastThreadMessage?: Quote
  /**
   * First five participants of its thread
   *
   * Items: User ID
   */
  threadParticipants?: string[]
  /** User ID */
  sender: string
}
export interface SendMessageInput {
  /** Room ID */
  room: string
  /** User ID */
  sender: string
  /** Content: any JSON, at most 64 KiB */
  message: unknown
  /** Free-form type, e.g. text, image, announcement; except joinRoom, addMembers, leaveRoom, deleteMember */
  messageType: string
  /** Send push to room members */
  push?: boolean
  /** Send pushes without a badge; the message still counts as unread */
  skipTotalBadge?: boolean
  /**
   * Users to notify of a mention. A user group stands for its members, `@room` for every member, `@here` for connected members
   *
   * Items: User ID
   */
  mentions?: string[]
  /** Makes the send idempotent for 24 hours */
  clientMessageID?: string
  /** Uploaded files of the sender; given name, type and size are ignored */
  attachments?: {
    /** File ID */
    fileID: string
    /** Name given by the sender */
    name?: string
    /** Media type */
    type?: string
    /** Bytes */
    size?: number
    /** Pixels, as given by the sender */
    width?: number
    /** Pixels, as given by the sender */
    height?: number
    /** Seconds, as given by the sender */
    duration?: number
  }[]
  /** ID of the message in the same room that this one replies to */
  replyTo?: string
  /** Put the message in the thread of the message it replies to */
  thread?: boolean
  /** Seconds until the message expires; 0 for never. Default: the room’s setting */
  expiresInS?: number
  /** Future time, within a year, at which to send the message by the rules of POST /scheduled; returns 202 with a ScheduledMessage */
  sendAtMS?: number
}
export interface WriteMessageInput {
  /** Room ID */
  id: string
  /** Message to edit or recall; absent: send a new one */
  _id?: string
  /** API key only: required to send; without it, the API key may edit any message */
  sender?: string
  /** Content: any JSON, at most 64 KiB; omit to recall */
  message?: unknown
  /** Required to send; `recall` with `_id` recalls */
  messageType?: string
  /** Items: User ID */
  mentions?: string[]
  push?: boolean
  skipTotalBadge?: boolean
  /** Makes the send idempotent for 24 hours */
  clientMessageID?: string
  /** Files of a new message; edits keep the files */
  attachments?: {
    /** File ID */
    fileID: string
    /** Name given by the sender */
    name?: string
    /** Media type */
    type?: string
    /** Bytes */
    size?: number
    /** Pixels, as given by the sender */
    width?: number
    /** Pixels, as given by the sender */
    height?: number
    /** Seconds, as given by the sender */
    duration?: number
  }[]
  /** ID of the message in the same room that this one replies to */
  replyTo?: string
  /** Put the message in the thread of the message it replies to */
  thread?: boolean
  /** Seconds until the message expires; 0 for never. Default: the room’s setting */
  expiresInS?: number
  /** Future time, within a year, at which to send the message by the rules of POST /scheduled; returns 202 with a ScheduledMessage */
  sendAtMS?: number
}
export interface AddReactionInput {
  /** Message ID */
  id: string
  /** The reaction, e.g. an emoji */
  reaction: string
}
export interface RemoveReactionInput {
  /** Message ID */
  id: string
  /** A reaction of the caller */
  reaction: string
}
export interface ListReadersInput {
  /** Message ID */
  id: string
}
export interface ListReadersResult {
  /** Message ID */
  messageID: string
  /** Room ID */
  roomID: string
  /** Number of readers */
  totalCount: number
  /** Number of members of the room, including the sender */
  memberCount: number
  data: {
    /** User ID */
    _id: string
    /** User ID */
    id: string
    nickname: string
    description: string
    avatarUrl: string
    isRobot?: boolean
    /** 0 if the user never logged in */
    lastLoginTimeMS: number
    /** When the member last reported a read position in the room */
    lastReadTimeMS?: number
  }[]
}
export interface GetLinkCardInput {
  /** Message ID */
  id: string
}
export interface GetLinkCardResult {
  /** Message ID */
  messageID: string
  card?: {
    /** The link as written in the message */
    url: string
    /** At most 200 characters */
    title: string
    /** At most 500 characters */
    description?: string
    /** At most 100 characters */
    siteName?: string
    /** Image URL on the server that the page names */
    image?: string
  }
}
export interface ListThreadInput {
  /** Message ID */
  id: string
  /** Maximum number of messages */
  limit?: number
  /** Messages before the current position of this message */
  beforeMessage?: string
  /** Messages after the current position of this message */
  afterMessage?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt' | 'messageTime'
}
export interface ListThreadResult {
  /** Root of the thread */
  root: Message
  /** Number of messages in the thread */
  totalCount: number
  /** `seq` of the latest message, or 0 */
  latestSeq: number
  /** Whether the caller sent the root or a message of the thread */
  takesPart: boolean
  /** Unread messages in the thread; 0 for callers outside it */
  unread: number
  data: Message[]
  /** Messages of this page, or the root, that the caller deleted for themselves */
  userDeletedIDs: string[]
}
export interface ListThreadsInput {
  /** true: only threads with unread messages */
  unread?: 'true' | 'false'
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListThreadsResult {
  /** Number of all threads with unread messages */
  unreadThreads: number
  data: {
    /** Root of the thread */
    root: Message
    /** Number of messages in the thread */
    totalCount: number
    /** `seq` of the latest message, or 0 */
    latestSeq: number
    /** Unread messages in the thread; 0 for callers outside it */
    unread: number
  }[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface MarkThreadReadInput {
  /** Message ID */
  id: string
  /** A message of the thread */
  message: string
}
export interface MarkThreadReadResult {
  /** Message ID */
  threadOf: string
  /** Unread messages in the thread; 0 for callers outside it */
  unread: number
}
export interface TraceMessageInput {
  /** Message ID */
  id: string
}
export interface WebhookDelivery {
  /** webhook-id of every attempt */
  id: string
  /** A room's webhook, or PUSH_GENERIC */
  kind: 'webhook' | 'push'
  /** Room ID */
  roomID: string
  clientID: string
  /** Webhook event; PUSH for PUSH_GENERIC */
  event: string
  state: 'waiting' | 'done' | 'failed'
  tries: number
  /** When it was last queued */
  createdAtMS: number
  /** Status of the last response */
  status?: number
  /** First KiB of the last response; operators do not get it in lists */
  answer?: string
  /** Duration of the last attempt */
  durationMS?: number
  /** Milliseconds since 1970-01-01 UTC */
  lastTryAtMS?: number
  /** Why the last attempt failed */
  lastError?: string
}
export interface TraceMessageResult {
  /** Message ID */
  message: string
  /** Room ID */
  room: string
  /** User ID */
  sender: string
  seq: number
  isDeleted: boolean
  accepted: {
    /** Milliseconds since 1970-01-01 UTC */
    atMS: number
    /** ID of the request that sent it */
    request?: string
  }
  /** Its event in the stream; absent if not yet published or no longer kept */
  published?: {
    /** Milliseconds since 1970-01-01 UTC */
    atMS: number
    streamSeq: number
  }
  /** Whether it has been flushed from the buffer of its room */
  flushed: boolean
  deliveries: {
    node: string
    /** Sockets that got it */
    sockets: number
    /** Milliseconds since 1970-01-01 UTC */
    atMS: number
    /** Delivered on reconnect with `since`; all such sockets together, at the time of the latest */
    caughtUp?: true
  }[]
  /** Realtime nodes that did not respond in time */
  silentNodes: string[]
  push: {
    recorded: boolean
    /** Members without a push, by reason */
    members: {
      [k: string]: number
    }
    /** Devices by decision: DUE, CONNECTED, NO_NETWORK; with PUSH_GENERIC, users as CALLED */
    devices: {
      [k: string]: number
    }
    /** Pushes by outcome: sent, refused, dead, dropped */
    results: {
      [k: string]: number
    }
  }
  /** Calls to the room's webhook and to PUSH_GENERIC */
  calls: WebhookDelivery[]
  readBy: {
    totalCount: number
    /**
     * At most 1,000, earliest joined first
     *
     * Items: User ID
     */
    data: string[]
  }
}
export interface CancelScheduledInput {
  /** ID of a scheduled message */
  id: string
}
export interface ScheduledMessage {
  id: string
  /** Room ID */
  room: string
  /** User ID */
  sender: string
  message: unknown
  messageType: string
  /** Items: User ID */
  mentions?: string[]
  clientMessageID?: string
  /** Files, which are kept until it is sent */
  attachments?: Attachment[]
  /** Message ID */
  replyTo?: string
  thread?: boolean
  /** Seconds from the send */
  expiresInS?: number
  /** Milliseconds since 1970-01-01 UTC */
  sendAtMS: number
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
  /** Why it was not sent when due; absent while pending */
  refused?: {
    code: string
    message: string
    /** Milliseconds since 1970-01-01 UTC */
    atMS: number
  }
}
export interface ChangeScheduledInput {
  /** ID of a scheduled message */
  id: string
  /** Required if it was refused */
  sendAtMS?: number
  /** Content: any JSON, at most 64 KiB */
  message?: unknown
  /** Free-form type, e.g. text, image, announcement; except joinRoom, addMembers, leaveRoom, deleteMember */
  messageType?: string
  /** Replaces the files; an empty list removes them, absent keeps them */
  attachments?: {
    /** File ID */
    fileID: string
    /** Name given by the sender */
    name?: string
    /** Media type */
    type?: string
    /** Bytes */
    size?: number
    /** Pixels, as given by the sender */
    width?: number
    /** Pixels, as given by the sender */
    height?: number
    /** Seconds, as given by the sender */
    duration?: number
  }[]
}
export interface ListScheduledInput {
  /** API key only */
  sender?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListScheduledResult {
  data: ScheduledMessage[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface ScheduleMessageInput {
  /** Room ID */
  room: string
  /** API key only, and required there */
  sender?: string
  /** Content: any JSON, at most 64 KiB */
  message: unknown
  /** Free-form type, e.g. text, image, announcement; except joinRoom, addMembers, leaveRoom, deleteMember */
  messageType: string
  /** When to send: a future time, within a year */
  sendAtMS: number
  push?: boolean
  skipTotalBadge?: boolean
  /** Items: User ID */
  mentions?: string[]
  clientMessageID?: string
  /** Uploaded files of the sender; given name, type and size are ignored */
  attachments?: {
    /** File ID */
    fileID: string
    /** Name given by the sender */
    name?: string
    /** Media type */
    type?: string
    /** Bytes */
    size?: number
    /** Pixels, as given by the sender */
    width?: number
    /** Pixels, as given by the sender */
    height?: number
    /** Seconds, as given by the sender */
    duration?: number
  }[]
  /** Message ID */
  replyTo?: string
  /** Put the message in the thread of the message it replies to */
  thread?: boolean
  /** Seconds until the message expires; 0 for never. Default: the room’s setting */
  expiresInS?: number
}
export interface DeleteBookmarkInput {
  /** Message ID */
  id: string
}
export interface DeleteBookmarkResult {
  /** 1, or 0 if there was nothing to remove */
  removed: number
}
export interface DeleteReminderInput {
  /** Message ID */
  id: string
}
export interface DeleteReminderResult {
  /** 1, or 0 if there was nothing to remove */
  removed: number
}
export interface ListBookmarksInput {
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface SavedMessage {
  /** Message ID */
  messageID: string
  /** Room ID */
  room: string
  /** Root of the thread, for messages in a thread */
  threadOf?: string
  /** Reminders only */
  remindAtMS?: number
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
  /** In lists only: the message in its current state */
  message?: Message
}
export interface ListBookmarksResult {
  data: SavedMessage[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface ListRemindersInput {
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListRemindersResult {
  data: SavedMessage[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface SaveBookmarkInput {
  /** Message ID */
  id: string
}
export interface SetReminderInput {
  /** Message ID */
  message: string
  /** When to remind: a future time, within a year */
  remindAtMS: number
}
export interface DeleteAllForMeInput {
  /** Room ID */
  room: string
}
export interface DeleteAllForMeResult {
  /** Room ID */
  room: string
  /** Items: Message ID */
  messages: string[]
  isUserDeleteAllMessagesInRoom: boolean
  /** With all messages: those up to this `seq` */
  upToSeq?: number
}
export interface DeleteForAllInput {
  /** Room ID */
  roomID: string
  /** Message ID, or _all */
  messageID: string
}
export interface DeleteForAllResult {
  deletedCount: number
  /** Room ID */
  roomID: string
  /** Message ID */
  messageID: string
  /** null for the API key */
  deletedBy: string | null
  /** ISO-8601 time */
  deletedAt: string
}
export interface DeleteForMeInput {
  /** Room ID */
  room: string
  /** Items: Message ID */
  messages: string[]
}
export interface DeleteForMeResult {
  /** Room ID */
  room: string
  /** Items: Message ID */
  messages: string[]
  isUserDeleteAllMessagesInRoom: boolean
  /** With all messages: those up to this `seq` */
  upToSeq?: number
}
export interface CreateFileInput {
  /** File name, without folders */
  name: string
  /** Media type; parameters are dropped */
  type?: string
  /** Bytes */
  size: number
  /** Owner, API key only; without one, the API key may send the file as any user */
  owner?: string
}
export interface NewFile {
  /** File ID */
  fileID: string
  /** Name given by the sender */
  name: string
  /** Media type */
  type: string
  /** Bytes */
  size: number
  /** Owner; absent for files of the API key */
  owner?: string
  /** `waiting`: not uploaded yet; `checking`: being scanned; `refused`: by the scanner */
  status: 'waiting' | 'checking' | 'uploaded' | 'refused'
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
  /** GET /files/{id}, with your headers */
  url: string
  upload: {
    method: 'PUT'
    /** Upload URL; the body is the bare file */
    url: string
    /** Headers to send with the upload */
    headers: {
      [k: string]: string
    }
    /** Milliseconds since 1970-01-01 UTC */
    expiresAtMS: number
  }
}
export interface GetFileInput {
  /** File ID */
  id: string
  /** Make browsers save the file instead of showing it */
  download?: 'true' | 'false'
  /** Return a 302 redirect to the URL instead */
  redirect?: 'true' | 'false'
}
export interface File {
  /** File ID */
  fileID: string
  /** Name given by the sender */
  name: string
  /** Media type */
  type: string
  /** Bytes */
  size: number
  /** Owner; absent for files of the API key */
  owner?: string
  /** `waiting`: not uploaded yet; `checking`: being scanned; `refused`: by the scanner */
  status: 'waiting' | 'checking' | 'uploaded' | 'refused'
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
  /** Download URL, without headers, until urlExpiresAtMS; absent unless `uploaded` */
  url?: string
  /** Milliseconds since 1970-01-01 UTC */
  urlExpiresAtMS?: number
  /** WebP of an image, at most 480 × 480 pixels; available some seconds after the upload */
  thumbnail?: {
    url: string
    width: number
    height: number
  }
}
export interface MarkUploadedInput {
  /** File ID */
  id: string
}
export interface StreamTextInput {
  /** Room ID */
  id: string
  /** A robot in the room */
  sender: string
  text: string
}
export interface StreamTextResult {}
export interface TypingInput {
  /** Room ID */
  id: string
  /** Empty: typing has ended */
  message: string
}
export interface TypingResult {}
export interface AppendStreamInput {
  /** Message ID */
  id: string
  text: string
  /** Start of the piece, in UTF-16 units; default: the end of the last one */
  at?: number
}
export interface AppendStreamResult {
  /** Message ID */
  messageID: string
  /** End of the piece: the next `at` */
  length: number
}
export interface EndStreamInput {
  /** Message ID */
  id: string
  /** Complete content in place of the pieces: any JSON, at most 64 KiB */
  message?: unknown
}
export interface OpenStreamInput {
  /** Room ID */
  room: string
  /** A robot in the room; required with the API key */
  sender?: string
  /** Free-form type, e.g. text, image, announcement; except joinRoom, addMembers, leaveRoom, deleteMember */
  messageType?: string
  /** Whether to push the message when the stream ends */
  push?: boolean
  /** Makes the send idempotent for 24 hours */
  clientMessageID?: string
  /** Uploaded files of the sender; given name, type and size are ignored */
  attachments?: {
    /** File ID */
    fileID: string
    /** Name given by the sender */
    name?: string
    /** Media type */
    type?: string
    /** Bytes */
    size?: number
    /** Pixels, as given by the sender */
    width?: number
    /** Pixels, as given by the sender */
    height?: number
    /** Seconds, as given by the sender */
    duration?: number
  }[]
  /** Message in the same room that this one replies to */
  replyTo?: string
  /** Put the message in the thread of the message it replies to */
  thread?: boolean
  /** Seconds until the message expires; 0 for never. Default: the room’s setting */
  expiresInS?: number
}
export interface ListPinsInput {
  /** Room ID */
  id: string
  limit?: number
  /** `beforeSeq` of the previous page */
  beforeSeq?: number
}
export interface ListPinsResult {
  data: Message[]
  /** For the next page; absent on the last one */
  beforeSeq?: number
}
export interface PinMessageInput {
  /** Message ID */
  id: string
}
export interface UnpinMessageInput {
  /** Message ID */
  id: string
}
export interface CreateRoomInput {
  name?: string
  /** Cover image URL */
  cover?: string
  description?: string
  roomTags?: string[]
  /** An http(s) URL, or a key of the configuration `webhookKeys`; set by and visible to the API key only */
  webhook?: string
  /** Set by and visible to the API key only */
  botState?: string
  botMode?: boolean
  /** Any JSON object of at most 16 KiB */
  extParams?: {
    [k: string]: unknown
  }
  /** Minimum seconds between two messages of a member; 0 for none */
  slowModeS?: number
  /** Seconds until a message expires, unless it has its own expiresInS; 0 for never */
  expiresInS?: number
  /** Days until messages are removed; 0: as in the configuration `retention`. API key only */
  retentionDays?: number
  /** User ID */
  owner?: string
  /** Room ID */
  _id?: string
  roomType: 'direct' | 'group'
  /**
   * User IDs; two for a direct room
   *
   * Items: User ID
   */
  members: string[]
  /** Also write a message of type joinRoom */
  systemMessage?: boolean
  encrypted?: boolean
  /** 0 closed to joining and invitations, 1 open */
  opening?: 0 | 1
  serviceStatus?: number
}
export interface Room {
  /** Room ID */
  _id: string
  /** Room ID */
  id: string
  appID: string
  name: string
  cover: string
  description: string
  roomType: 'direct' | 'group'
  webhook: string
  botState: string
  botMode: boolean
  encrypted: boolean
  serviceStatus: number
  roomTags: string[]
  /** 1 active, 0 frozen */
  status: number
  /** The first 50 members */
  members: Sender[]
  /** Milliseconds since 1970-01-01 UTC */
  createdTimeMS: number
  unread?: number
  muted?: boolean
  lastMessage?: Message
  pref?: RoomPref
  /** NotificationsOfRoom of the caller; absent if not set */
  notifications?: {
    /** Default: the next wider level */
    level?: 'all' | 'mentions' | 'none'
    /** Levels by message type, which override `level` */
    types?: {
      messageType: string
      level: 'all' | 'mentions' | 'none'
    }[]
    /** Until then, only messages that mention the user by ID are pushed */
    muteUntilMS?: number
  }
  memberCount: number
  /** User ID */
  owner?: string
  /** Items: User ID */
  managers: string[]
  /** 0 closed to joining and invitations, 1 open */
  opening: number
  extParams: {
    [k: string]: unknown
  }
  /** Minimum seconds between two messages of a member; absent: no limit */
  slowModeS?: number
  /** Seconds until a message without its own expiresInS expires; absent: never */
  expiresInS?: number
  /** Days until messages are removed; absent: as in the configuration `retention` */
  retentionDays?: number
}
export interface RoomPref {
  tags: string[]
  tagColors: {
    [k: string]: string
  }
  hidden: boolean
  sticky: boolean
  muted: boolean
  folder: string
}
export interface DeleteRoomInput {
  /** Room ID */
  id: string
}
export interface GetRoomInput {
  /** Room ID */
  id: string
}
export interface ListRoomsInput {
  /** Space-separated lastMessage, createdTime, name (alphabetical); prefix - for descending */
  sort?: string
  skip?: number
  /** 0 means no limit */
  limit?: number
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  updatedAfter?: string
  /** JSON object: filter by the caller's room preferences */
  pref?: string
  /** Non-zero: rooms with unread messages first */
  sortUnreadFirst?: number
}
export interface ListRoomsResult {
  totalCount: number
  data: Room[]
  /** Diagnostic only */
  inspect: {
    query: unknown
    tookMS: number
  }
}
export interface UpdateRoomInput {
  /** Room ID */
  id: string
  name?: string
  /** Cover image URL */
  cover?: string
  description?: string
  roomTags?: string[]
  /** An http(s) URL, or a key of the configuration `webhookKeys`; set by and visible to the API key only */
  webhook?: string
  /** Set by and visible to the API key only */
  botState?: string
  botMode?: boolean
  /** Any JSON object of at most 16 KiB */
  extParams?: {
    [k: string]: unknown
  }
  /** Minimum seconds between two messages of a member; 0 for none */
  slowModeS?: number
  /** Seconds until a message expires, unless it has its own expiresInS; 0 for never */
  expiresInS?: number
  /** Days until messages are removed; 0: as in the configuration `retention`. API key only */
  retentionDays?: number
  /** User ID */
  owner?: string
  /** Items: User ID */
  managers?: string[]
  /** 0 closed to joining and invitations, 1 open */
  opening?: 0 | 1
  /** 0 frozen: sends are refused */
  status?: 0 | 1
}
export interface MarkReadInput {
  /** Room ID */
  id: string
  /** Message ID */
  message: string
}
export interface MarkReadResult {
  /** Room ID */
  roomID: string
  /** User ID */
  memberID: string
  /** Message ID */
  messageID: string
  unread: number
}
export interface MarkDeliveredInput {
  /** Room ID */
  id: string
  /** Message ID */
  message: string
}
export interface MarkDeliveredResult {
  /** Room ID */
  roomID: string
  /** User ID */
  memberID: string
  /** The reported message */
  messageID: string
  /** False in rooms with too many members, where markers are neither stored nor announced */
  isMarked: boolean
}
export interface ListCommandsInput {
  /** Room ID */
  id: string
}
export interface ExplainBadgeInput {
  /** User ID */
  client_id: string
  /** Also count the messages themselves */
  verify?: 'true' | 'false'
  /** Rooms to skip */
  skip?: number
  /** Maximum number of rooms */
  limit?: number
}
export interface ExplainBadgeResult {
  /** User ID */
  client: string
  /** Total unread count, as in GET /me/badge */
  badge: number
  /** Number of rooms of the user */
  totalCount: number
  data: {
    /** Room ID */
    room: string
    /** `seq` of the last message in the room */
    seq: number
    /** `seq` of the last message that counts as read */
    readSeq: number
    /** Stored number of messages after the marker that do not count as unread */
    uncounted: number
    /** Of these, sent by the user */
    own?: number
    /** Of these, deleted for everyone or recalled */
    deleted?: number
    /** Of these, deleted by the user for themselves */
    hidden?: number
    unread: number
    /** With verify: unread, counted from the messages */
    countedUnread?: number
    /** With verify: whether unread and countedUnread match */
    agrees?: boolean
  }[]
  /** With verify: whether all counted rooms of this page agree */
  agrees?: boolean
  /** With verify: rooms of this page with too many messages to count */
  notVerified?: number
}
export interface GetBadgeInput {}
export interface GetBadgeResult {
  badge: number
}
export interface GetBadgesByRoomTagsInput {
  /** Default: all tags */
  tags?: string[]
}
export interface GetBadgesByRoomTagsResult {
  totalBadge: number
  data: {
    [k: string]: number
  }
}
export interface MuteRoomInput {
  /** Room ID */
  room: string
}
export interface User {
  /** User ID */
  _id: string
  /** User ID */
  id: string
  appID: string
  nickname: string
  description: string
  email?: string
  avatarUrl: string
  /** Last connection address; absent before the first connection */
  address?: Address
  userAgent?: string
  isRobot: boolean
  /** `/name` commands of a robot */
  commands?: {
    name: string
    description: string
  }[]
  /**
   * IDs of the rooms that the user muted
   *
   * Items: Room ID
   */
  mute: string[]
  /** ISO-8601 time */
  createdAt: string
  /** ISO-8601 time */
  updatedAt: string
  /** ISO-8601 time */
  lastJoinOrCreateRoomTime?: string
  /** 0 if the user never logged in */
  lastLoginTimeMS: number
  __v: number
}
export interface Address {
  /** Absent if unknown, as behind a proxy that hides it */
  port?: number
  family: string
  address: string
}
export interface MuteUserInput {
  /** User ID */
  uid: string
  /** Room ID */
  room: string
}
export interface AdminUser {
  /** User ID */
  _id: string
  /** User ID */
  id: string
  appID: string
  nickname: string
  description: string
  email?: string
  avatarUrl: string
  /** Last connection address; absent before the first connection */
  address?: Address
  userAgent?: string
  isRobot: boolean
  /** `/name` commands of a robot */
  commands?: {
    name: string
    description: string
  }[]
  /**
   * IDs of the rooms that the user muted
   *
   * Items: Room ID
   */
  mute: string[]
  /** ISO-8601 time */
  createdAt: string
  /** ISO-8601 time */
  updatedAt: string
  /** ISO-8601 time */
  lastJoinOrCreateRoomTime?: string
  /** 0 if the user never logged in */
  lastLoginTimeMS: number
  __v: number
  isAdmin: boolean
  /** Only while the user is banned from the app */
  ban?: {
    /** Milliseconds since 1970-01-01 UTC */
    atMS: number
    /** Milliseconds since 1970-01-01 UTC */
    untilMS?: number
  }
}
export interface SetRoomPrefInput {
  /** Room ID */
  room: string
  tags?: string[]
  tagColors?: {
    [k: string]: string
  }
  hidden?: boolean
  sticky?: boolean
  muted?: boolean
  folder?: string
}
export interface SetRoomPrefResult {
  /** Room ID */
  room: string
  tags: string[]
  tagColors: {
    [k: string]: string
  }
  hidden: boolean
  sticky: boolean
  muted: boolean
  folder: string
}
export interface UnmuteRoomInput {
  /** Room ID */
  room: string
}
export interface UnmuteUserInput {
  /** User ID */
  uid: string
  /** Room ID */
  room: string
  /** Accepted and ignored */
  limit?: string
  /** Accepted and ignored */
  skip?: string
}
export interface GetChangesInput {
  /** `cursor` of the last response, or `serverTimeMS` of a socket; first 0 */
  since: string
  /** Maximum number of rooms */
  limit?: number
}
export interface Invitation {
  _id: string
  /** Inviting user; empty for the API key in a room without members */
  inviter: string
  /** User ID */
  invitee: string
  /** Room ID */
  room: string
  /** Name of the room; absent in a declined invitation */
  roomName?: string
  /** ISO-8601 time */
  createdAt: string
  /** ISO-8601 time */
  updatedAt: string
}
export interface GetChangesResult {
  /** Changed rooms */
  rooms: {
    /** As in GET /rooms/{id}, with unread, preferences and last message */
    room: Room
    /** `seq` of the last message */
    seq: number
    /** Whether to fetch messages: some are new, changed or deleted */
    messages: boolean
    /**
     * Roots of threads to fetch: messages are new, changed or deleted, or the caller has read them
     *
     * Items: Message ID
     */
    threads: string[]
    /** Latest position of each read marker that moved */
    lastRead: {
      /** User ID */
      memberID: string
      /** Message ID */
      messageID: string
    }[]
  }[]
  /**
   * Rooms that the user left, was removed from, or that were deleted
   *
   * Items: Room ID
   */
  removed: string[]
  /** New invitations that are still open */
  invitations: Invitation[]
  /** Current values of personal preferences that were set */
  prefs: {
    [k: string]: unknown
  }
  /** Keys of deleted personal preferences */
  deletedPrefs: string[]
  /** The next `since`; if `complete`, also for `auth2`, as a number */
  cursor: string
  /** False if there are more changes */
  complete: boolean
}
export interface AddMembersInput {
  /** Room ID */
  id: string
  /**
   * User IDs; a user group stands for its members
   *
   * Items: User ID
   */
  invitees: string[]
  /** Also write a system message */
  systemMessage?: boolean
  invitationRequired?: boolean
}
export interface AddMembersResult {
  /** Room ID */
  _id: string
  /** Room ID */
  id: string
  appID: string
  name: string
  cover: string
  description: string
  roomType: 'direct' | 'group'
  webhook: string
  botState: string
  botMode: boolean
  encrypted: boolean
  serviceStatus: number
  roomTags: string[]
  /** 1 active, 0 frozen */
  status: number
  /** The first 50 members */
  members: Sender[]
  /** Milliseconds since 1970-01-01 UTC */
  createdTimeMS: number
  unread?: number
  muted?: boolean
  lastMessage?: Message
  pref?: RoomPref
  /** NotificationsOfRoom of the caller; absent if not set */
  notifications?: {
    /** Default: the next wider level */
    level?: 'all' | 'mentions' | 'none'
    /** Levels by message type, which override `level` */
    types?: {
      messageType: string
      level: 'all' | 'mentions' | 'none'
    }[]
    /** Until then, only messages that mention the user by ID are pushed */
    muteUntilMS?: number
  }
  memberCount: number
  /** User ID */
  owner?: string
  /** Items: User ID */
  managers: string[]
  /** 0 closed to joining and invitations, 1 open */
  opening: number
  extParams: {
    [k: string]: unknown
  }
  /** Minimum seconds between two messages of a member; absent: no limit */
  slowModeS?: number
  /** Seconds until a message without its own expiresInS expires; absent: never */
  expiresInS?: number
  /** Days until messages are removed; absent: as in the configuration `retention` */
  retentionDays?: number
  invitations?: Invitation[]
}
export interface DeclineInvitationInput {
  /** Room ID */
  id: string
}
export interface JoinRoomInput {
  /** Room ID */
  id: string
  /** Also write a system message */
  systemMessage?: boolean
}
export interface ListInvitationsInput {
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListInvitationsResult {
  data: Invitation[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface ListMembersInput {
  /** Room ID */
  id: string
  skip?: number
  limit?: number
}
export interface ListMembersResult {
  totalCount: number
  data: {
    /** User ID */
    _id: string
    /** User ID */
    id: string
    nickname: string
    description: string
    avatarUrl: string
    isRobot?: boolean
    /** 0 if the user never logged in */
    lastLoginTimeMS: number
    /** `seq` of the last message that the member has read, or of the last one before they joined */
    readSeq: number
    /** `seq` of the last message that the member has reported as delivered */
    deliveredSeq: number
  }[]
}
export interface RemoveMembersInput {
  /** Room ID */
  id: string
  /**
   * User IDs; a user group stands for its members in the room
   *
   * Items: User ID
   */
  members: string[]
  /** Also write a system message */
  systemMessage?: boolean
}
export interface SetMemberRoleInput {
  /** Room ID */
  id: string
  /** User ID */
  client: string
  property: 'role'
  value: 'admin' | 'member'
}
export interface EraseUserInput {
  /** User ID */
  client_id: string
  /** Messages in all rooms and threads: keep, redact as if recalled, or delete for everyone */
  content?: 'keep' | 'redact' | 'delete'
}
export interface ListUsersInput {
  /** JSON filter in document-database query syntax */
  q?: string
  limit?: number
  skip?: number
}
export interface ListUsersResult {
  totalCount: number
  data: AdminUser[]
}
export interface SaveUserInput {
  /** User ID */
  _id: string
  nickname?: string
  description?: string
  email?: string
  avatarUrl?: string
  isRobot?: boolean
  /** Platform admin */
  isAdmin?: boolean
  /** `/name` commands of a user with isRobot */
  commands?: {
    name: string
    description?: string
  }[]
  /** true: generate a token, and ignore `token` */
  issueAccessToken?: boolean
  /** With issueAccessToken true: issue the token for this device, replacing only its token */
  deviceId?: string
  /** Token generated by you */
  token?: string
  /** Expiry of a supplied token, ISO-8601 */
  expirationDate?: string
}
export interface SavedUser {
  /** User ID */
  _id: string
  /** User ID */
  id: string
  appID: string
  nickname: string
  description: string
  email?: string
  avatarUrl: string
  /** Last connection address; absent before the first connection */
  address?: Address
  userAgent?: string
  isRobot: boolean
  /** `/name` commands of a robot */
  commands?: {
    name: string
    description: string
  }[]
  /**
   * IDs of the rooms that the user muted
   *
   * Items: Room ID
   */
  mute: string[]
  /** ISO-8601 time */
  createdAt: string
  /** ISO-8601 time */
  updatedAt: string
  /** ISO-8601 time */
  lastJoinOrCreateRoomTime?: string
  /** 0 if the user never logged in */
  lastLoginTimeMS: number
  __v: number
  isAdmin: boolean
  /** Only while the user is banned from the app */
  ban?: {
    /** Milliseconds since 1970-01-01 UTC */
    atMS: number
    /** Milliseconds since 1970-01-01 UTC */
    untilMS?: number
  }
  token?: string
  /** ISO-8601 time */
  expirationDate?: string
}
export interface SaveUsersInput {
  data: {
    /** User ID */
    _id: string
    nickname?: string
    description?: string
    email?: string
    avatarUrl?: string
    isRobot?: boolean
    /** Platform admin */
    isAdmin?: boolean
    /** `/name` commands of a user with isRobot */
    commands?: {
      name: string
      description?: string
    }[]
  }[]
}
export interface SaveUsersResult {
  count: number
}
export interface SearchUsersInput {
  q: string
  /** Only members of this room */
  room?: string
  limit?: number
}
export interface SearchUsersResult {
  data: Sender[]
}
export interface StartChatInput {
  /**
   * User IDs, excluding the caller
   *
   * Items: User ID
   */
  members: string[]
  /** Name of the group */
  name?: string
}
export interface GetMeInput {}
export interface ListConnectionsInput {
  /** User ID */
  client_id: string
}
export interface ListConnectionsResult {
  data: {
    /** `deviceId` of auth2, or else the socket ID */
    deviceId: string
    node: string
    transport: 'websocket' | 'polling'
    /** When the device authenticated */
    sinceMS: number
    /** When the device last sent anything, heartbeats included */
    lastSeenMS: number
    userAgent: string
    /** `auth.clientVersion` of the connection */
    clientVersion?: string
  }[]
  /** Nodes that did not respond in time */
  silentNodes: string[]
}
export interface SubscribeInput {
  type: 'ios' | 'fcm' | 'web' | 'hms' | 'relay'
  /** Device push token; for `web`, the PushSubscription as JSON text */
  token: string
  /** Same as in auth2, so that a connected device gets no push */
  deviceId: string
  /** Language of the app’s push texts for this device, such as de-AT */
  language?: string
}
export interface SubscribeResult {
  type: 'ios' | 'fcm' | 'web' | 'hms' | 'relay'
  deviceId: string
}
export interface UnsubscribeInput {
  /** A registered device */
  deviceId?: string
  /** Device push token; for `web`, the PushSubscription as JSON text */
  token?: string
}
export interface UnsubscribeResult {
  removed: number
}
export interface WebPushKeyInput {}
export interface WebPushKeyResult {
  /** P-256, uncompressed, base64url */
  publicKey: string
}
export interface DeleteGroupInput {
  /** User group ID */
  id: string
}
export interface DeleteGroupResult {}
export interface ListGroupsInput {
  limit?: number
  skip?: number
}
export interface UserGroup {
  /** User ID */
  _id: string
  nickname: string
  avatarUrl: string
  /** Items: User ID */
  members: string[]
}
export interface ListGroupsResult {
  totalCount: number
  data: UserGroup[]
}
export interface SaveGroupInput {
  /** Generated if absent */
  _id?: string
  nickname: string
  avatarUrl?: string
  /** Items: User ID */
  members?: string[]
}
export interface GetMyNotificationsInput {}
export interface UserNotifications {
  /** Default: the next wider level */
  level?: 'all' | 'mentions' | 'none'
  /** Levels by message type, which override `level` */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /** Until then, only messages that mention the user by ID are pushed */
  muteUntilMS?: number
  doNotDisturb?: {
    timeZone: string
    times: {
      /** 1 Monday to 7 Sunday */
      days: number[]
      from: string
      /** On the next day unless after `from` */
      to: string
    }[]
  }
}
export interface GetMyRoomNotificationsInput {
  /** Room ID */
  room: string
}
export interface NotificationsOfRoom {
  /** Default: the next wider level */
  level?: 'all' | 'mentions' | 'none'
  /** Levels by message type, which override `level` */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /** Until then, only messages that mention the user by ID are pushed */
  muteUntilMS?: number
}
export interface GetMyThreadNotificationsInput {
  /** The root of the thread, or one of its messages */
  id: string
}
export interface ThreadNotifications {
  /** Default: the next wider level */
  level?: 'all' | 'mentions' | 'none'
  /** Until then, only messages that mention the user by ID are pushed */
  muteUntilMS?: number
}
export interface GetNotificationsInput {
  /** User ID */
  uid: string
}
export interface GetRoomNotificationsInput {
  /** User ID */
  uid: string
  /** Room ID */
  room: string
}
export interface SetMyNotificationsInput {
  /** Default: the next wider level */
  level?: 'all' | 'mentions' | 'none'
  /** Levels by message type, which override `level` */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /** Until then, only messages that mention the user by ID are pushed */
  muteUntilMS?: number
  doNotDisturb?: {
    timeZone: string
    times: {
      /** 1 Monday to 7 Sunday */
      days: number[]
      from: string
      /** On the next day unless after `from` */
      to: string
    }[]
  }
}
export interface SetMyRoomNotificationsInput {
  /** Room ID */
  room: string
  /** Default: the next wider level */
  level?: 'all' | 'mentions' | 'none'
  /** Levels by message type, which override `level` */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /** Until then, only messages that mention the user by ID are pushed */
  muteUntilMS?: number
}
export interface SetMyThreadNotificationsInput {
  /** The root of the thread, or one of its messages */
  id: string
  /** Default: the next wider level */
  level?: 'all' | 'mentions' | 'none'
  /** Until then, only messages that mention the user by ID are pushed */
  muteUntilMS?: number
}
export interface SetNotificationsInput {
  /** User ID */
  uid: string
  /** Default: the next wider level */
  level?: 'all' | 'mentions' | 'none'
  /** Levels by message type, which override `level` */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /** Until then, only messages that mention the user by ID are pushed */
  muteUntilMS?: number
  doNotDisturb?: {
    timeZone: string
    times: {
      /** 1 Monday to 7 Sunday */
      days: number[]
      from: string
      /** On the next day unless after `from` */
      to: string
    }[]
  }
}
export interface SetRoomNotificationsInput {
  /** User ID */
  uid: string
  /** Room ID */
  room: string
  /** Default: the next wider level */
  level?: 'all' | 'mentions' | 'none'
  /** Levels by message type, which override `level` */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /** Until then, only messages that mention the user by ID are pushed */
  muteUntilMS?: number
}
export interface DeleteMyPrefInput {
  /** Key of an existing preference */
  key: string
}
export interface DeleteMyPrefResult {}
export interface ListMyPrefsInput {
  skip?: number
  /** All by default */
  limit?: number
}
/** Keys with any JSON as value */
export interface ListMyPrefsResult {
  [k: string]: unknown
}
export interface SetMyPrefInput {
  key: string
  /** Any JSON of at most 16 KiB */
  data: unknown
}
export interface SetMyPrefResult {
  key: string
  data: unknown
}
export interface GetPresenceInput {
  /** User IDs; repeat the parameter, at most 500 */
  clients: string | string[]
}
export interface GetPresenceResult {
  clients: {
    /** User ID */
    client: string
    /** online: a connected device is not away. away: all connected devices are away. unknown: Redis is unavailable */
    state: 'online' | 'away' | 'offline' | 'unknown'
    /** Whether a device is connected (online or away); absent while unknown */
    online?: boolean
    /** Whether the state is away; absent while unknown */
    away?: boolean
    /** Only offline: when the last device was connected. Absent for hidden users and users who never connected */
    lastSeenMS?: number
  }[]
}
export interface BindTokenInput {
  /** User ID */
  client_id: string
  token: string
  /** Expiry of a supplied token, ISO-8601 */
  expirationDate: string
}
export interface BindTokenResult {
  /** User ID */
  _id: string
  token: string
  /** ISO-8601 time */
  expirationDate: string
}
export interface EndMyTokenInput {
  id: string
}
export interface EndMyTokenResult {}
export interface EndTokenInput {
  /** User ID */
  client_id: string
  id: string
}
export interface EndTokenResult {}
export interface ListMyTokensInput {}
export interface UserToken {
  /** Beginning of the token’s SHA-256 digest */
  id: string
  /** Device that it was issued for, or that its issuer names */
  deviceId?: string
  /** Whether it is from the app’s own login */
  isOwnLogin: boolean
  /** Token ID at the issuer */
  jti?: string
  /** When it was issued or first presented */
  createdAt: string
  /** ISO-8601 time */
  expirationDate: string
  /** Last HTTP request, to the hour */
  lastUsedTime?: string
  /** In GET /me/tokens: whether it is the calling token */
  isCurrent?: boolean
}
export interface ListMyTokensResult {
  /** Active tokens, newest first; at most 50 */
  data: UserToken[]
}
export interface ListTokensInput {
  /** User ID */
  client_id: string
}
export interface ListTokensResult {
  /** Active tokens, newest first; at most 50 */
  data: UserToken[]
}
export interface RenewTokenInput {}
export interface RenewTokenResult {
  token: string
  /** ISO-8601 time */
  expirationDate: string
}
export interface RevokeTokensInput {
  /** User ID */
  client_id: string
  /** Without it, all tokens are revoked */
  token?: string
  /** Instead: the token of your own login with this ID, whether already presented or not */
  jti?: string
  /** Instead: the tokens of this device, including those of your own login issued for it so far */
  deviceId?: string
}
export interface RevokeTokensResult {
  success: boolean
  message: string
  revokedTokens: number
}
export interface AddKeyInput {
  /** Unique among active keys, such as the server that uses it */
  name: string
  /** `all`: every scope except `platform`, including those of later releases. Default: the scopes of the calling key, or `all` */
  scopes?: (
    | 'all'
    | 'platform'
    | 'users:read'
    | 'users:write'
    | 'rooms:read'
    | 'rooms:write'
    | 'messages:read'
    | 'messages:write'
    | 'moderation:read'
    | 'moderation:write'
    | 'push:read'
    | 'push:write'
    | 'config:read'
    | 'config:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'stats:read'
    | 'stats:write'
    | 'export:read'
    | 'export:write'
    | 'keys:read'
    | 'keys:write'
  )[]
  /** When the key expires */
  expiresAt?: string
  /** Networks that may use the key; default: all */
  addresses?: string[]
  /** Requests per minute; default: PARLEY_GATEWAY_RATE_PER_API_KEY */
  ratePerMinute?: number
}
export interface AddKeyResult {
  /** Beginning of the key’s SHA-256 digest */
  id: string
  /** Empty for unnamed keys */
  name: string
  scopes: (
    | 'all'
    | 'platform'
    | 'users:read'
    | 'users:write'
    | 'rooms:read'
    | 'rooms:write'
    | 'messages:read'
    | 'messages:write'
    | 'moderation:read'
    | 'moderation:write'
    | 'push:read'
    | 'push:write'
    | 'config:read'
    | 'config:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'stats:read'
    | 'stats:write'
    | 'export:read'
    | 'export:write'
    | 'keys:read'
    | 'keys:write'
  )[]
  /** ISO-8601 time */
  createdAt: string
  /** To the minute */
  lastUsedAt?: string
  /** ISO-8601 time */
  expiresAt?: string
  addresses?: string[]
  ratePerMinute?: number
  /** Only in lists with ended keys */
  revokedAt?: string
  /** The key; shown only once */
  apiKey: string
}
export interface ListKeysInput {
  /** Include revoked and expired keys */
  ended?: 'true' | 'false'
}
export interface ApiKey {
  /** Beginning of the key’s SHA-256 digest */
  id: string
  /** Empty for unnamed keys */
  name: string
  scopes: (
    | 'all'
    | 'platform'
    | 'users:read'
    | 'users:write'
    | 'rooms:read'
    | 'rooms:write'
    | 'messages:read'
    | 'messages:write'
    | 'moderation:read'
    | 'moderation:write'
    | 'push:read'
    | 'push:write'
    | 'config:read'
    | 'config:write'
    | 'webhooks:read'
    | 'webhooks:write'
    | 'stats:read'
    | 'stats:write'
    | 'export:read'
    | 'export:write'
    | 'keys:read'
    | 'keys:write'
  )[]
  /** ISO-8601 time */
  createdAt: string
  /** To the minute */
  lastUsedAt?: string
  /** ISO-8601 time */
  expiresAt?: string
  addresses?: string[]
  ratePerMinute?: number
  /** Only in lists with ended keys */
  revokedAt?: string
}
export interface ListKeysResult {
  data: ApiKey[]
}
export interface RevokeKeyInput {
  /** Beginning of the key’s SHA-256 digest */
  id: string
}
export interface InspectBansInput {
  /** Room ID */
  id: string
  skip?: number
  /** All by default */
  limit?: number
}
export interface Ban {
  appID: string
  blockee: {
    /** User ID */
    _id: string
    /** User ID */
    id: string
    nickname: string
    avatarUrl: string
    lastLoginTimeMS: number
  }
  /** User who banned or blocked; empty for the API key */
  blocker: string
  /** ISO-8601 time */
  createdAt: string
  /** Last change; after an unban, the time of the unban */
  updatedAt: string
  /** Room ID */
  room: string
  /** When the ban ends; absent: never */
  untilMS?: number
}
export interface InspectMembersInput {
  /** Room ID */
  id: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface InspectMembersResult {
  totalCount: number
  data: {
    /** User ID */
    _id: string
    /** User ID */
    id: string
    nickname: string
    description: string
    avatarUrl: string
    isRobot?: boolean
    /** 0 if the user never logged in */
    lastLoginTimeMS: number
    role: 'owner' | 'manager' | 'member'
    /** Milliseconds since 1970-01-01 UTC */
    joinedAtMS: number
    readSeq: number
    deliveredSeq: number
    /** The member muted the room */
    muted: boolean
    /** Banned in the room or, in a direct room, blocked by the other user */
    blocked?: {
      /** Milliseconds since 1970-01-01 UTC */
      untilMS?: number
    }
  }[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface InspectMessagesInput {
  /** Room ID */
  id: string
  /** Maximum number of messages */
  limit?: number
  /** Messages before the current position of this message */
  beforeMessage?: string
  /** Messages after the current position of this message */
  afterMessage?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt' | 'messageTime'
  /** Show the content of deleted messages while it still exists; it is removed within minutes */
  includeDeleted?: 'true' | 'false'
}
export interface InspectMessagesResult {
  totalCount: number
  /** `seq` of the latest message, or 0 */
  latestSeq: number
  data: Message[]
  /**
   * Always empty
   *
   * Items: Message ID
   */
  userDeletedIDs: string[]
  inspect: {
    query: unknown
    tookMS: number
  }
}
export interface InspectPinsInput {
  /** Room ID */
  id: string
  limit?: number
  /** `beforeSeq` of the previous page */
  beforeSeq?: number
}
export interface InspectPinsResult {
  data: Message[]
  /** For the next page; absent on the last one */
  beforeSeq?: number
}
export interface InspectRoomInput {
  /** Room ID */
  id: string
}
export interface AdminRoom {
  /** Room ID */
  _id: string
  /** Room ID */
  id: string
  appID: string
  name: string
  cover: string
  description: string
  roomType: 'direct' | 'group'
  webhook: string
  botState: string
  botMode: boolean
  encrypted: boolean
  serviceStatus: number
  roomTags: string[]
  /** 1 active, 0 frozen */
  status: number
  /** The first 50 members */
  members: Sender[]
  /** Milliseconds since 1970-01-01 UTC */
  createdTimeMS: number
  lastMessage?: Message
  /** NotificationsOfRoom of the caller; absent if not set */
  notifications?: {
    /** Default: the next wider level */
    level?: 'all' | 'mentions' | 'none'
    /** Levels by message type, which override `level` */
    types?: {
      messageType: string
      level: 'all' | 'mentions' | 'none'
    }[]
    /** Until then, only messages that mention the user by ID are pushed */
    muteUntilMS?: number
  }
  memberCount: number
  /** User ID */
  owner?: string
  /** Items: User ID */
  managers: string[]
  /** 0 closed to joining and invitations, 1 open */
  opening: number
  extParams: {
    [k: string]: unknown
  }
  /** Minimum seconds between two messages of a member; absent: no limit */
  slowModeS?: number
  /** Seconds until a message without its own expiresInS expires; absent: never */
  expiresInS?: number
  /** Days until messages are removed; absent: as in the configuration `retention` */
  retentionDays?: number
  /** All messages of the room, including deleted ones */
  messageCount: number
  /** Absent before the first message */
  lastMessageTimeMS?: number
}
export interface InspectRoomsOfUserInput {
  /** User ID */
  client_id: string
  skip?: number
  limit?: number
}
export interface InspectRoomsOfUserResult {
  totalCount: number
  data: {
    /** Room ID */
    _id: string
    /** Room ID */
    id: string
    appID: string
    name: string
    cover: string
    description: string
    roomType: 'direct' | 'group'
    webhook: string
    botState: string
    botMode: boolean
    encrypted: boolean
    serviceStatus: number
    roomTags: string[]
    /** 1 active, 0 frozen */
    status: number
    /** Milliseconds since 1970-01-01 UTC */
    createdTimeMS: number
    /** NotificationsOfRoom of the caller; absent if not set */
    notifications?: {
      /** Default: the next wider level */
      level?: 'all' | 'mentions' | 'none'
      /** Levels by message type, which override `level` */
      types?: {
        messageType: string
        level: 'all' | 'mentions' | 'none'
      }[]
      /** Until then, only messages that mention the user by ID are pushed */
      muteUntilMS?: number
    }
    memberCount: number
    /** User ID */
    owner?: string
    /** Items: User ID */
    managers: string[]
    /** 0 closed to joining and invitations, 1 open */
    opening: number
    extParams: {
      [k: string]: unknown
    }
    /** Minimum seconds between two messages of a member; absent: no limit */
    slowModeS?: number
    /** Seconds until a message without its own expiresInS expires; absent: never */
    expiresInS?: number
    /** Days until messages are removed; absent: as in the configuration `retention` */
    retentionDays?: number
    /** All messages of the room, including deleted ones */
    messageCount: number
    /** Absent before the first message */
    lastMessageTimeMS?: number
    role: 'owner' | 'manager' | 'member'
    unread: number
    muted: boolean
  }[]
}
export interface InspectThreadInput {
  /** Message ID */
  id: string
  /** Maximum number of messages */
  limit?: number
  /** Messages before the current position of this message */
  beforeMessage?: string
  /** Messages after the current position of this message */
  afterMessage?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt' | 'messageTime'
}
export interface InspectThreadResult {
  /** Root of the thread */
  root: Message
  /** Number of messages in the thread */
  totalCount: number
  /** `seq` of the latest message, or 0 */
  latestSeq: number
  /** Whether the caller sent the root or a message of the thread */
  takesPart: boolean
  /** Unread messages in the thread; 0 for callers outside it */
  unread: number
  data: Message[]
  /** Messages of this page, or the root, that the caller deleted for themselves */
  userDeletedIDs: string[]
}
export interface ListAllRoomsInput {
  /** JSON filter in document-database query syntax */
  q?: string
  /** Prefix of the ID, of the name or of a word in it. Matches by ID come first, then by name; not paged */
  search?: string
  /** createdTime, lastMessageTime, name or memberCount; prefix `-` for descending. Default: `-lastMessageTime`; not with `search` */
  sort?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListedRoom {
  /** Room ID */
  _id: string
  /** Room ID */
  id: string
  appID: string
  name: string
  cover: string
  description: string
  roomType: 'direct' | 'group'
  webhook: string
  botState: string
  botMode: boolean
  encrypted: boolean
  serviceStatus: number
  roomTags: string[]
  /** 1 active, 0 frozen */
  status: number
  /** Milliseconds since 1970-01-01 UTC */
  createdTimeMS: number
  /** NotificationsOfRoom of the caller; absent if not set */
  notifications?: {
    /** Default: the next wider level */
    level?: 'all' | 'mentions' | 'none'
    /** Levels by message type, which override `level` */
    types?: {
      messageType: string
      level: 'all' | 'mentions' | 'none'
    }[]
    /** Until then, only messages that mention the user by ID are pushed */
    muteUntilMS?: number
  }
  memberCount: number
  /** User ID */
  owner?: string
  /** Items: User ID */
  managers: string[]
  /** 0 closed to joining and invitations, 1 open */
  opening: number
  extParams: {
    [k: string]: unknown
  }
  /** Minimum seconds between two messages of a member; absent: no limit */
  slowModeS?: number
  /** Seconds until a message without its own expiresInS expires; absent: never */
  expiresInS?: number
  /** Days until messages are removed; absent: as in the configuration `retention` */
  retentionDays?: number
  /** All messages of the room, including deleted ones */
  messageCount: number
  /** Absent before the first message */
  lastMessageTimeMS?: number
}
export interface ListAllRoomsResult {
  /** Matching rooms, at most 10,000; with `search`, rooms of the page */
  totalCount: number
  /** False if more rooms match */
  totalIsExact: boolean
  data: ListedRoom[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface InspectUserInput {
  /** User ID */
  client_id: string
}
export interface PushDevice {
  /** User ID */
  client: string
  deviceId: string
  type: 'ios' | 'fcm' | 'web' | 'hms' | 'relay'
  fingerprint: string
  language?: string
  /** The APNs topic */
  topic?: string
  /** Last registration */
  updatedAt: string
  /** Of its last push, if that failed */
  lastError?: {
    reason: string
    /** Milliseconds since 1970-01-01 UTC */
    atMS: number
  }
}
export interface Block {
  appID: string
  blockee: {
    /** User ID */
    _id: string
    /** User ID */
    id: string
    nickname: string
    avatarUrl: string
    lastLoginTimeMS: number
  }
  /** User who banned or blocked; empty for the API key */
  blocker: string
  /** ISO-8601 time */
  createdAt: string
  /** Last change; after an unban, the time of the unban */
  updatedAt: string
}
export interface InspectUserResult {
  profile: AdminUser
  roomCount: number
  devices: PushDevice[]
  tokens: {
    fingerprint: string
    /** ISO-8601 time */
    createdAt: string
    /** ISO-8601 time */
    expirationDate: string
    /** Last HTTP request, to the hour; for sockets, see `connections` */
    lastUsedTime?: string
    /** Expired tokens are listed for 30 days */
    isInForce: boolean
  }[]
  connections: {
    data: {
      /** `deviceId` of auth2, or else the socket ID */
      deviceId: string
      node: string
      transport: 'websocket' | 'polling'
      /** When the device authenticated */
      sinceMS: number
      /** When the device last sent anything, heartbeats included */
      lastSeenMS: number
      userAgent: string
      /** `auth.clientVersion` of the connection */
      clientVersion?: string
    }[]
    /** Nodes that did not respond in time */
    silentNodes: string[]
  }
  /** Bans in rooms: the latest 100, newest first */
  bans: Ban[]
  /** The first 100 users whom the user blocks */
  blocks: Block[]
}
export interface ListDevicesInput {
  /** User ID */
  client?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListDevicesResult {
  data: PushDevice[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface RemoveDeviceInput {
  /** User ID */
  client_id: string
  /** Same as in auth2, so that a connected device gets no push */
  device: string
}
export interface RemoveDeviceResult {
  removed: number
}
export interface ListAuditInput {
  /** Such as `key:9f86d081884c` or `command:key add` */
  actor?: string
  /** `kind:ID`, such as `room:demo-room` */
  subject?: string
  /** Such as `updateRoom` */
  action?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  since?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  until?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface AuditEntry {
  id: string
  /** Milliseconds since 1970-01-01 UTC */
  atMS: number
  /** `key:` with an API key ID, `operator:` with an operator ID, `command:` with the command, or `job:` with a job ID */
  actor: string
  /** Name of the key, e-mail of the operator, or OS user of the command */
  actorName?: string
  /** IP address of the caller, or host name of the command */
  address?: string
  /** operationId or command */
  action: string
  subject: {
    kind: 'app' | 'call' | 'config' | 'group' | 'key' | 'message' | 'operator' | 'report' | 'room' | 'user'
    id: string
  }
  /** Previous values, without secrets and texts */
  before?: unknown
  after?: unknown
  /** X-Request-ID of the call */
  request?: string
}
export interface ListAuditResult {
  data: AuditEntry[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface SearchAllMessagesInput {
  /** Matches messages with every word, or with words that begin with it */
  keyword?: string
  /** Room ID */
  room?: string
  /** User ID */
  sender?: string
  messageType?: string
  /** Only messages sent later */
  afterTimeMS?: number
  /** Only messages sent earlier */
  beforeTimeMS?: number
  limit?: number
  /** `cursor` of the previous page, with the same filters */
  cursor?: string
}
export interface SearchAllMessagesResult {
  data: {
    /** Message ID */
    _id: string
    /** User ID */
    sender: string
    messageType: string
    /** First 200 characters of its text, or of `text` in its content; empty if there is none, or once deleted or recalled */
    text: string
    isDeleted: boolean
    /** Room ID */
    room: string
    /** Milliseconds since 1970-01-01 UTC */
    messageTimeMS: number
    /** Message ID */
    threadOf?: string
  }[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface ReadTimelineInput {
  /** User ID */
  user?: string
  /** Only this device of `user`, and entries without a device */
  device?: string
  /** Room ID */
  room?: string
  /** Earliest time; default: 7 days ago */
  from?: string
  /** Latest time; default: now */
  to?: string
  /** Comma-separated: message, delivery, push, call, connection, refusal, read, membership, token, ban, report, audit */
  kinds?: string
  /** Entries per page, not counting the pushes and deliveries of messages */
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface TimelineEntry {
  /** Milliseconds since 1970-01-01 UTC */
  timeMS: number
  kind:
    | 'message'
    | 'delivery'
    | 'push'
    | 'call'
    | 'connection'
    | 'refusal'
    | 'read'
    | 'membership'
    | 'token'
    | 'ban'
    | 'report'
    | 'audit'
  /** Stable code, such as `PUSH_CONNECTED` */
  code: string
  subject: {
    kind: 'message' | 'user' | 'room' | 'device' | 'call' | 'token' | 'report' | 'other'
    id: string
  }
  /** Acting process, if known */
  node?: string
  /** English sentence without message texts */
  reason: string
  /** Parts of `reason`, to localize by `code` */
  about: {
    /** Affected user */
    user?: string
    /** Acting user; absent: an API key or the server */
    by?: string
    messageType?: string
    seq?: number
    changes?: ('edited' | 'recalled' | 'deleted')[]
    /** State of the message for `user` */
    state?: 'read' | 'arrived' | 'not reported' | 'no member'
    sockets?: number
    devices?: string[]
    network?: string
    tokenRemoved?: boolean
    tries?: number
    /** Error code, or error text of another server */
    error?: string
    /** Text of the refusal in `error` */
    detail?: string
    /** Milliseconds since 1970-01-01 UTC */
    nextTryAtMS?: number
    /** Event of a room webhook call; absent: PUSH_GENERIC */
    event?: string
    status?: number
    durationMS?: number
    transport?: string
    /** Emit or operation */
    call?: string
    address?: string
    readSeq?: number
    deliveredSeq?: number
    /** Absent: no end */
    untilMS?: number
    count?: number
    decision?: string
    actor?: string
    action?: string
  }
  refs: {
    message?: string
    room?: string
    /** The other user: sender, reporter or banning user */
    user?: string
    device?: string
    /** The webhook-id */
    call?: string
    report?: string
    /** Fingerprint */
    token?: string
    /** ID of the audit entry */
    audit?: string
    /** Actor of the audit entry */
    actor?: string
    /** X-Request-ID or emit ID */
    request?: string
  }
}
export interface ReadTimelineResult {
  data: TimelineEntry[]
  /** For the next page; absent on the last one */
  cursor?: string
  withheld: {
    kind:
      | 'message'
      | 'delivery'
      | 'push'
      | 'call'
      | 'connection'
      | 'refusal'
      | 'read'
      | 'membership'
      | 'token'
      | 'ban'
      | 'report'
      | 'audit'
    scope:
      | 'users:read'
      | 'users:write'
      | 'rooms:read'
      | 'rooms:write'
      | 'messages:read'
      | 'messages:write'
      | 'moderation:read'
      | 'moderation:write'
      | 'push:read'
      | 'push:write'
      | 'config:read'
      | 'config:write'
      | 'webhooks:read'
      | 'webhooks:write'
      | 'stats:read'
      | 'stats:write'
      | 'export:read'
      | 'export:write'
      | 'keys:read'
      | 'keys:write'
  }[]
  /** Processes that did not respond; their entries are missing */
  silentNodes: string[]
  /** Without `room`: rooms with messages in this period beyond the 100 most recent */
  roomsLeftOut: number
}
export interface EndSessionInput {
  /** Beginning of the session’s digest */
  id: string
}
export interface EndSessionResult {}
export interface FinishSsoInput {
  code?: unknown
  state?: unknown
  iss?: unknown
  error?: unknown
}
export interface FinishSsoResult {}
export interface GetSessionInput {}
export interface OperatorSession {
  operator: {
    /** Operator ID */
    id: string
    email: string
    name: string
    hasPassword: boolean
    hasTotp: boolean
    /** Number of unused recovery codes */
    recoveryCodes: number
  }
  /** At most 1,000, by ID. A role for an app overrides the role for all apps. `all`: every scope except `platform` */
  apps: {
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
    scopes: (
      | 'all'
      | 'platform'
      | 'users:read'
      | 'users:write'
      | 'rooms:read'
      | 'rooms:write'
      | 'messages:read'
      | 'messages:write'
      | 'moderation:read'
      | 'moderation:write'
      | 'push:read'
      | 'push:write'
      | 'config:read'
      | 'config:write'
      | 'webhooks:read'
      | 'webhooks:write'
      | 'stats:read'
      | 'stats:write'
      | 'export:read'
      | 'export:write'
      | 'keys:read'
      | 'keys:write'
    )[]
  }[]
  /** Whether the operator owns every app */
  isOwnerOfAll: boolean
  /** Send it as Parley-CSRF with every request except GET */
  csrfToken: string
  /** Latest end of the session */
  expiresAt: string
}
export interface GetSignInMethodsInput {}
export interface GetSignInMethodsResult {
  password: boolean
  /** Whether GET /operator/oidc redirects to an identity provider */
  sso: boolean
}
export interface ListSessionsInput {}
export interface ListedOperatorSession {
  /** Beginning of the session’s digest */
  id: string
  isCurrent: boolean
  /** How the operator signed in */
  by: 'password' | 'link' | 'sso' | 'passkey'
  /** IP address of the sign-in */
  address: string
  userAgent: string
  /** ISO-8601 time */
  createdAt: string
  /** To the minute */
  lastSeenAt: string
  /** ISO-8601 time */
  expiresAt: string
}
export interface ListSessionsResult {
  data: ListedOperatorSession[]
}
export interface SignInInput {
  /** E-mail address for signing in */
  email: string
  password: string
  /** Authenticator code or recovery code, if the operator has set up an authenticator */
  totp?: string
}
export interface SignInByLinkInput {
  token: string
}
export interface SignOutInput {}
export interface SignOutResult {}
export interface StartSsoInput {}
export interface StartSsoResult {}
export interface ChangePasswordInput {
  /** Current password; if there is none, a session by link or SSO suffices */
  current?: string
  password: string
}
export interface RemoveTotpInput {
  /** A code of the authenticator, or a recovery code */
  code: string
}
export interface RemoveTotpResult {
  isOn: boolean
}
export interface RenewRecoveryCodesInput {
  /** A code of the authenticator */
  code: string
}
export interface RenewRecoveryCodesResult {
  /** Ten codes, shown only once; each replaces an authenticator code once */
  recoveryCodes: string[]
}
export interface SetUpTotpInput {
  code?: string
}
export interface SetUpTotpResult {
  isOn: boolean
  /** Base32; only during setup */
  secret?: string
  /** otpauth: URL for a QR code */
  url?: string
  /** Ten codes, shown only once; each replaces an authenticator code once */
  recoveryCodes?: string[]
}
export interface AddPasskeyInput {
  name: string
  /** PublicKeyCredential, as returned by `toJSON()` */
  credential: {
    id: string
    rawId: string
    type: 'public-key'
    response: {
      clientDataJSON: string
      [k: string]: unknown
    }
    [k: string]: unknown
  }
}
export interface Passkey {
  /** ID of the passkey */
  id: string
  name: string
  /** Whether it is synced between devices */
  isSynced: boolean
  /** ISO-8601 time */
  createdAt: string
  /** ISO-8601 time */
  lastUsedAt?: string
}
export interface ListPasskeysInput {}
export interface ListPasskeysResult {
  data: Passkey[]
}
export interface RemovePasskeyInput {
  /** ID of the passkey */
  id: string
}
export interface RemovePasskeyResult {}
export interface RenamePasskeyInput {
  /** ID of the passkey */
  id: string
  name: string
}
export interface SignInByPasskeyInput {
  /** PublicKeyCredential, as returned by `toJSON()` */
  credential: {
    id: string
    rawId: string
    type: 'public-key'
    response: {
      clientDataJSON: string
      [k: string]: unknown
    }
    [k: string]: unknown
  }
}
export interface StartPasskeyInput {}
export interface StartPasskeyResult {
  /** For navigator.credentials, in WebAuthn’s JSON form; the challenge is valid once, for five minutes */
  options: {
    challenge: string
    [k: string]: unknown
  }
}
export interface StartPasskeySignInInput {}
export interface StartPasskeySignInResult {
  /** For navigator.credentials, in WebAuthn’s JSON form; the challenge is valid once, for five minutes */
  options: {
    challenge: string
    [k: string]: unknown
  }
}
export interface AddOperatorInput {
  /** E-mail address for signing in */
  email: string
  name: string
  roles: {
    /** App ID, or `*` for all apps */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
}
export interface AddOperatorResult {
  /** Operator ID */
  id: string
  email: string
  name: string
  roles: {
    /** App ID, or `*` for all apps */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
  /** Whether the operator can sign in with a password */
  hasPassword: boolean
  /** Whether signing in with a password also needs a code */
  hasTotp: boolean
  hasPasskey: boolean
  /** Whether the operator has signed in with the identity provider */
  bySso: boolean
  /** ISO-8601 time */
  createdAt: string
  /** ISO-8601 time */
  lastSignInAt?: string
  /** Token of a sign-in link, valid once within a day: /console#link={token} */
  link: string
}
export interface ChangeOperatorInput {
  /** Operator ID */
  id: string
  name?: string
  roles?: {
    /** App ID, or `*` for all apps */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
}
export interface Operator {
  /** Operator ID */
  id: string
  email: string
  name: string
  roles: {
    /** App ID, or `*` for all apps */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
  /** Whether the operator can sign in with a password */
  hasPassword: boolean
  /** Whether signing in with a password also needs a code */
  hasTotp: boolean
  hasPasskey: boolean
  /** Whether the operator has signed in with the identity provider */
  bySso: boolean
  /** ISO-8601 time */
  createdAt: string
  /** ISO-8601 time */
  lastSignInAt?: string
}
export interface ListOperatorAuditInput {
  /** Such as `key:9f86d081884c` or `command:key add` */
  actor?: string
  /** `kind:ID`, such as `room:demo-room` */
  subject?: string
  /** Such as `updateRoom` */
  action?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  since?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  until?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListOperatorAuditResult {
  data: AuditEntry[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface ListOperatorsInput {
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListOperatorsResult {
  data: Operator[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface RemoveOperatorInput {
  /** Operator ID */
  id: string
}
export interface RemoveOperatorResult {}
export interface ResetOperatorInput {
  /** Operator ID */
  id: string
}
export interface ResetOperatorResult {
  /** Operator ID */
  id: string
  email: string
  name: string
  roles: {
    /** App ID, or `*` for all apps */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
  /** Whether the operator can sign in with a password */
  hasPassword: boolean
  /** Whether signing in with a password also needs a code */
  hasTotp: boolean
  hasPasskey: boolean
  /** Whether the operator has signed in with the identity provider */
  bySso: boolean
  /** ISO-8601 time */
  createdAt: string
  /** ISO-8601 time */
  lastSignInAt?: string
  /** Token of a sign-in link, valid once within a day: /console#link={token} */
  link: string
}
export interface ListAllUsersInput {
  /** Prefix of an ID, of a nickname or of a word in it */
  q?: string
  /** Not with `q`. `created` (default): by creation; `lastLogin`: by last login; `banned`: by the ban from the app, ended ones included; `robots`: robots by creation */
  list?: 'created' | 'lastLogin' | 'banned' | 'robots'
  /** Earliest time, inclusive; not with `q` */
  since?: string
  /** Latest time, inclusive; not with `q` */
  until?: string
  limit?: number
  /** `cursor` of the previous page; not with `q` */
  cursor?: string
}
export interface ListAllUsersResult {
  data: AdminUser[]
  /** For the next page; absent on the last one and with `q` */
  cursor?: string
}
export interface ReadOverviewInput {}
export interface Figures {
  messages: number
  /** Events delivered, counted per socket */
  deliveries: number
  /** HTTP requests by API keys and users */
  requests: number
  /** 4xx responses */
  refusedRequests: number
  /** 5xx responses */
  failedRequests: number
  emits: number
  refusedEmits: number
  failedEmits: number
  /** Accepted by the push network */
  pushes: number
  /** Refused by the push network, or given up */
  failedPushes: number
  /** 2xx responses of room webhooks and PUSH_GENERIC */
  calls: number
  /** Failed attempts */
  failedCalls: number
}
export interface ReadOverviewResult {
  /** Milliseconds since 1970-01-01 UTC */
  nowMS: number
  connections: number
  /** Retained calls that failed permanently; at most 1,000 */
  deadCalls: number
  hour: {
    /** Milliseconds since 1970-01-01 UTC */
    fromMS: number
    figures: Figures
    /** Peak of concurrent connections */
    peakConnections: number
  }[]
  day: {
    /** Milliseconds since 1970-01-01 UTC */
    fromMS: number
    figures: Figures
    /** Peak of concurrent connections */
    peakConnections: number
  }[]
  processes?: {
    service: string
    node: string
    version: string
    /** No report for 15 seconds; processes are removed after 10 minutes */
    isSilent: boolean
    /** Milliseconds since 1970-01-01 UTC */
    startedAtMS: number
    /** Milliseconds since 1970-01-01 UTC */
    reportedAtMS: number
    /** Resident set size */
    memoryBytes: number
    /** CPU cores in use: 1 is one full core */
    cpu: number
    /** Realtime nodes: connections of the app */
    connections?: number
    /** Push service: each configured network */
    credentials?: {
      network: 'apns' | 'fcm' | 'web' | 'hms' | 'relay'
      /** Set if `refused` only for this app, because nearly all its devices were rejected */
      app?: string
      state: 'untried' | 'accepted' | 'refused'
      /** Key ID and team, or project */
      name: string
      /** When this state began */
      sinceMS: number
      lastError?: string
      /** Milliseconds since 1970-01-01 UTC */
      lastErrorAtMS?: number
    }[]
  }[]
  /** Stream events that each consumer has not received yet */
  lag?: {
    [k: string]: number
  }
  alerts: {
    code:
      | 'PROCESS_SILENT'
      | 'VERSIONS_DIFFER'
      | 'CREDENTIALS_REFUSED'
      | 'REQUESTS_FAIL'
      | 'PUSHES_FAIL'
      | 'CALLS_FAIL'
      | 'CALLS_DEAD'
      | 'CONSUMER_LAGS'
    /** An English sentence */
    reason: string
  }[]
}
export interface BanMemberInput {
  /** Room ID */
  roomID: string
  /** User ID */
  blockee: string
  /** When the ban ends, a future time in Unix milliseconds; default: never */
  untilMS?: number
}
export interface ListBansInput {
  /** Room ID */
  roomID: string
  skip?: number
  /** All by default */
  limit?: number
}
export interface UnbanMemberInput {
  /** Room ID */
  roomID: string
  /** User ID */
  blockee: string
}
export interface BanUserInput {
  /** User ID */
  client_id: string
  /** When the ban ends, a future time in Unix milliseconds; default: never */
  untilMS?: number
}
export interface UnbanUserInput {
  /** User ID */
  client_id: string
}
export interface BlockUserInput {
  /** User ID */
  blockee: string
}
export interface ListBlocksInput {
  skip?: number
  /** All by default */
  limit?: number
}
export interface UnblockUserInput {
  /** User ID */
  blockee: string
}
export interface ReadModerationInput {}
export interface ModerationFigures {
  allow: number
  mask: number
  refuse: number
  /** No answer in time, or not called while the breaker was open */
  unanswered: number
  /** Median response time; absent without answers */
  p50MS?: number
  /** 99th percentile */
  p99MS?: number
}
export interface ReadModerationResult {
  hour: ModerationFigures
  day: ModerationFigures
  /** The last one is the current minute */
  minutes: {
    /** Milliseconds since 1970-01-01 UTC */
    fromMS: number
    figures: ModerationFigures
  }[]
  /** Circuit breakers of the processes that called the server. `open` after 5 consecutive failures: no calls for 5 seconds, then one trial call decides */
  breakers: {
    node: string
    state: 'closed' | 'open' | 'half-open'
  }[]
  /** Processes that did not respond */
  silentNodes: string[]
}
export interface TryCensorshipInput {
  /** Text to mask */
  text: string
}
export interface TryCensorshipResult {
  /** The text with each character of a listed word replaced by `*` */
  text: string
}
export interface TryModerationInput {
  /** `message` of the call */
  text: string
  /** `clientID` of the call; `test` by default */
  sender?: string
  /** `roomID` of the call; `test` by default */
  room?: string
}
export interface TryModerationResult {
  /** unanswered: no valid answer in time; none: no server is configured */
  action: 'allow' | 'mask' | 'refuse' | 'unanswered' | 'none'
  /** `text` of the answer */
  text?: string
  /** Response time */
  durationMS: number
}
export interface DecideReportInput {
  /** ID of a report */
  id: string
  decision: 'dismiss' | 'delete' | 'ban' | 'erase'
  /** When the ban ends, a future time in Unix milliseconds; default: never */
  untilMS?: number
}
export interface Report {
  id: string
  status: 'open' | 'decided'
  /** Message ID */
  messageID: string
  /** Room ID */
  room: string
  /** Message ID */
  threadOf?: string
  /** Sender of the message */
  sender: string
  messageType: string
  /** Content when first reported; absent once the report is decided or the sender erased */
  message?: unknown
  /** Milliseconds since 1970-01-01 UTC */
  messageTimeMS: number
  /** Number of users who reported it */
  count: number
  /** The latest 20, newest first */
  reasons: {
    /** User ID */
    client: string
    reason: string
    /** Milliseconds since 1970-01-01 UTC */
    atMS: number
  }[]
  /** Time of the first report */
  createdAtMS: number
  /** Milliseconds since 1970-01-01 UTC */
  updatedAtMS: number
  decision?: 'dismiss' | 'delete' | 'ban' | 'erase'
  /** Milliseconds since 1970-01-01 UTC */
  decidedAtMS?: number
}
export interface ListReportsInput {
  /** Default: all */
  status?: 'open' | 'decided'
  /** Room ID */
  room?: string
  /** Only messages of this user; not with `room` */
  sender?: string
  /** Only messages reported by this user; not with `room` or `sender` */
  reporter?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListReportsResult {
  data: Report[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface ReportMessageInput {
  /** Message ID */
  id: string
  reason: string
}
export interface ReportMessageResult {}
export interface SearchInput {
  type?: 'messages'[]
  keyword: string
  /** Only this room */
  room?: string
  /** Only rooms with one of these tags; empty: all rooms */
  roomTags?: string[]
  /** Also return `found` */
  excerpts?: boolean
  /** Maximum number of messages in total */
  limit?: number
}
export interface SearchResult {
  messages: {
    /** Room ID */
    room: string
    /**
     * Matches in the history of the room
     *
     * Items: Message ID
     */
    messages: string[]
    /** Matches in threads of the room; absent if there are none */
    threadMessages?: {
      /** Message ID */
      _id: string
      /** Message ID */
      threadOf: string
    }[]
  }[]
  /** With `excerpts`: the same messages with the beginning of their text, newest first */
  found?: {
    /** Message ID */
    _id: string
    /** User ID */
    sender: string
    messageType: string
    /** First 200 characters of its text, or of `text` in its content; empty if there is none, or once deleted or recalled */
    text: string
    isDeleted: boolean
    /** Room ID */
    room: string
    /** Milliseconds since 1970-01-01 UTC */
    messageTimeMS: number
    /** Message ID */
    threadOf?: string
  }[]
}
export interface PushPayload {
  /** Custom classification tag */
  type?: string
  /** iOS: expiry, Unix seconds */
  expiry?: number
  /** iOS: plain text, or an object with loc-key and loc-args */
  alert?:
    | string
    | {
        'loc-key'?: string
        'loc-args'?: unknown[]
        [k: string]: unknown
      }
  /** iOS: app icon badge */
  badge?: number
  /** iOS: sound file name */
  sound?: string
  /** iOS: push topic, normally the app bundle ID */
  topic?: string
  /** Android: title */
  title?: string
  /** Android: body */
  body?: string
  /** Android: icon URL */
  icon?: string
  /** Android: notifications with the same key collapse */
  collapseKey?: string
}
export interface PushToClientsInput {
  /**
   * User or group IDs
   *
   * Items: User ID
   */
  clients: string[]
  payload: PushPayload
}
export interface PushToClientsResult {}
export interface WhyPushInput {
  /** Message ID */
  message: string
  /** User ID */
  client: string
}
export interface PushExplanation {
  /** Message ID */
  message: string
  /** Room ID */
  room: string
  /** User ID */
  client: string
  /** Whether the decision was recorded; false: reasons that would apply now */
  recorded: boolean
  /** Milliseconds since 1970-01-01 UTC */
  decidedAtMS?: number
  /** Why no device got a push */
  reason?:
    | 'NO_DEVICE'
    | 'CONNECTED'
    | 'MUTED'
    | 'MUTED_FOR_NOW'
    | 'LEVEL_OF_THREAD'
    | 'LEVEL_OF_TYPE_IN_ROOM'
    | 'LEVEL_OF_ROOM'
    | 'LEVEL_OF_TYPE'
    | 'LEVEL_OF_USER'
    | 'LEVEL_OF_APP'
    | 'DO_NOT_DISTURB'
    | 'BANNED'
    | 'BLOCKED'
    | 'SENDER'
    | 'ROBOT'
    | 'PUSH_FALSE'
    | 'STREAMING'
    | 'NOT_A_MEMBER'
    | 'NOT_IN_THREAD'
    | 'PUSH_GENERIC'
    | 'DELETED'
    | 'LATE'
    | 'NO_NETWORK'
    | 'NOT_RECORDED'
  devices: {
    deviceId: string
    network?: 'apns' | 'fcm' | 'web' | 'hms' | 'relay'
    /** `sending` for long: the process was killed, and the outcome is unknown */
    outcome: 'sent' | 'refused' | 'waiting' | 'sending' | 'given up' | 'not sent'
    /** With `not sent`: a PushReason; otherwise the network's reason */
    reason?: string
    /** The network's ID of the push */
    id?: string
    /** When it was sent, refused or given up */
    atMS?: number
    /** The network reported the token as invalid */
    tokenRemoved?: boolean
    /** Milliseconds since 1970-01-01 UTC */
    nextTryAtMS?: number
    /** Failed attempts so far */
    tries?: number
    lastError?: string
  }[]
  /** The PUSH_GENERIC call with this user */
  call?: {
    /** The webhook-id */
    id: string
    state: 'waiting' | 'done' | 'failed'
    tries: number
    lastError?: string
  }
}
export interface DeleteConfigKeyInput {
  key: string
}
export interface DeleteConfigKeyResult {}
export interface GetConfigInput {}
/** Keys of 1 to 128 characters with any JSON as value */
export interface GetConfigResult {
  [k: string]: unknown
}
/** Keys of 1 to 128 characters with any JSON as value */
export interface SetConfigInput {
  [k: string]: unknown
}
/** Keys of 1 to 128 characters with any JSON as value */
export interface SetConfigResult {
  [k: string]: unknown
}
export interface GetConnectionCountInput {}
export interface GetConnectionCountResult {
  count: number
}
export interface GetStatsInput {
  /** Unix seconds */
  start?: number
  /** Unix seconds */
  end?: number
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  startTime?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  endTime?: string
}
export interface GetStatsResult {
  /** Sensitive; do not log */
  clientKey: string
  /** The calling key. Sensitive; do not log */
  apiKey: string
  /** ISO-8601 time */
  startTime: string
  /** ISO-8601 time */
  endTime: string
  /** Unix seconds */
  start: number
  /** Unix seconds */
  end: number
  /**
   * Users who sent or were connected in the window
   *
   * Items: User ID
   */
  userList: string[]
  /** Rooms with messages in the window */
  roomCount: number
  totalRoomCount: number
  messageCount: number
  peakConnectionCount: number
  /** Host memory in bytes */
  totalMem: number
  /** Available memory in bytes */
  freeMem: number
}
export interface ListFailedWebhooksInput {
  skip?: number
  limit?: number
}
export interface FailedWebhook {
  /** webhook-id of every attempt */
  id: string
  /** A room's webhook, or PUSH_GENERIC */
  kind: 'webhook' | 'push'
  /** Room ID */
  roomID: string
  clientID: string
  /** Webhook event; PUSH for PUSH_GENERIC */
  event: string
  data: unknown
  tries: number
  lastError: string
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
  /** ISO-8601 time */
  failedAt: string
}
export interface ListFailedWebhooksResult {
  totalCount: number
  data: FailedWebhook[]
}
export interface ListWebhookCallsInput {
  /** Room ID */
  room?: string
  /** Earliest time; default: 7 days ago */
  since?: string
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  until?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListWebhookCallsResult {
  data: WebhookDelivery[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface ReadWebhookCallInput {
  /** ID of a call */
  id: string
}
export interface ReadWebhookCallResult {
  call: WebhookDelivery
  /** `data` of a WebhookCall, or a PushCall */
  data: unknown
}
export interface RetryFailedWebhookInput {
  /** ID of a failed call */
  id: string
}
export interface RetryFailedWebhookResult {
  id: string
}
export interface RetryWebhookCallInput {
  /** ID of a call */
  id: string
}
export interface RetryWebhookCallResult {
  id: string
}
export interface RetryWebhookCallsInput {
  /** ISO-8601, or milliseconds since 1970-01-01 UTC */
  since: string | number
  /** Default: now */
  until?: string | number
  /** Room ID */
  room?: string
  /** Only calls that succeeded or that failed permanently */
  state?: 'done' | 'failed'
}
export interface RetryWebhookCallsResult {
  /** Number of repeated calls */
  count: number
  complete: boolean
  /** Milliseconds since 1970-01-01 UTC */
  until: number
}
export interface CloseWebhookReceiverInput {
  /** ID of a receiver */
  id: string
}
export interface CloseWebhookReceiverResult {
  id: string
}
export interface OpenWebhookReceiverInput {
  /** Minutes until it ends */
  minutes?: number
  /** HTTP status of its responses, for testing retries */
  status?: number
}
export interface OpenWebhookReceiverResult {
  id: string
  /** Relative to the base URL of the API */
  path: string
  /** Milliseconds since 1970-01-01 UTC */
  endsAtMS: number
}
export interface ReadWebhookReceiverInput {
  /** ID of a receiver */
  id: string
}
export interface RecordedCall {
  /** Milliseconds since 1970-01-01 UTC */
  atMS: number
  /** Without cookie and authorization headers */
  headers: {
    [k: string]: string
  }
  body: string
  /** The body was truncated */
  isCut?: boolean
}
export interface ReadWebhookReceiverResult {
  /** Milliseconds since 1970-01-01 UTC */
  endsAtMS: number
  /** Calls so far */
  count: number
  data: RecordedCall[]
}
export interface ListEventsInput {
  /** Cursor of an event or of an earlier response */
  after?: string
  /** Maximum number of events, up to 1 MiB in total */
  limit?: number
  /** Comma-separated names; only these events */
  types?: string
  /** Seconds to wait if there is no event (long polling) */
  wait?: number
}
export interface FeedEvent {
  /** Position of the event: use as `after` for later events */
  cursor: string
  /** The same if the event is repeated; for a new message, its `_id` */
  id: string
  /** Determines the type of `data`: see the table of events */
  event:
    | 'chat message'
    | 'thread message'
    | 'room'
    | 'lastRead'
    | 'threadLastRead'
    | 'roomPref'
    | 'notificationSettings'
    | 'reminder'
    | 'myPrefChange'
    | 'myPrefDelete'
    | 'invitation'
    | 'removedFromRoom'
    | 'userDeleteMessages'
    | 'messageDeleted'
    | 'messageUpdated'
    | 'members'
    | 'ban'
    | 'unban'
    | 'block'
    | 'unblock'
    | 'user'
    | 'userDeleted'
    | 'contentErased'
    | 'group'
    | 'audit'
    | 'groupDeleted'
  /** When the event was published, in Unix milliseconds */
  timeMS: number
  /** Room concerned */
  room?: string
  /** User or user group concerned, if no room is */
  user?: string
  /** X-Request-ID of the call that caused it */
  request?: string
  /** Payload; the same that sockets get, if they get the event */
  data: unknown
}
export interface ListEventsResult {
  data: FeedEvent[]
  /** `after` for the next call */
  cursor: string
}
export interface GetJobInput {
  /** `job` of a 202 response */
  id: string
  /** Outcomes to skip */
  skip?: number
  /** Maximum number of outcomes */
  limit?: number
}
export interface Job {
  _id: string
  kind: 'batch' | 'erasure' | 'export'
  /** `failed`: batches and exports given up after many attempts; finished parts of a batch remain */
  state: 'running' | 'done' | 'failed'
  /** ISO-8601 time */
  createdAt: string
  /** Last progress */
  updatedAt: string
  /** ISO-8601 time */
  finishedAt?: string
  /** Recipients of a batch, rooms of an erased user, or lines of an export so far; `done` never decreases */
  progress: {
    done: number
    total: number
  }
  /** Batches only: outcome per recipient, in order, from `skip` on */
  outcomes?: {
    /** Outcomes so far */
    totalCount: number
    data: (
      | {
          result: SentMessage
        }
      | {
          error: {
            code: string
            message: string
          }
        }
    )[]
  }
  /** Finished exports only */
  export?: {
    /** Signed URL of the ZIP */
    url: string
    /** A day after the job ended, when the export is deleted */
    urlExpiresAtMS: number
    size: number
  }
}
export interface ListJobsInput {
  /** Only this job */
  id?: string
  state?: 'running' | 'done' | 'failed'
  kind?: 'batch' | 'erasure' | 'export'
  /** Earliest start time */
  since?: string
  /** Latest start time */
  until?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListJobsResult {
  data: Job[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface LiftHoldInput {
  id: string
}
export interface Hold {
  _id: string
  /** Holds all messages of this user */
  user?: string
  /** Holds all messages in this room */
  room?: string
  reason: string
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
}
export interface ListHoldsInput {
  /** Only holds on this user */
  user?: string
  /** Only holds on this room */
  room?: string
  limit?: number
  /** `cursor` of the previous page */
  cursor?: string
}
export interface ListHoldsResult {
  data: Hold[]
  /** For the next page; absent on the last one */
  cursor?: string
}
export interface PlaceHoldInput {
  /** User to hold */
  user?: string
  /** Room to hold, instead of a user */
  room?: string
  reason: string
}
export interface ExportMeInput {}
export interface ExportUserInput {
  /** User ID */
  client_id: string
}
export interface GetMyExportInput {}
export interface ServerEvents {
  'chat message': Message
  'thread message': Message
  room: Room
  lastRead: {
    /** Room ID */
    roomID: string
    /** User ID */
    memberID: string
    /** Message ID */
    messageID: string
  }
  threadLastRead: {
    /** Room ID */
    roomID: string
    /** Message ID */
    threadOf: string
    /** Message ID */
    messageID: string
    unread: number
  }
  delivered: {
    /** Room ID */
    roomID: string
    members: {
      /** User ID */
      memberID: string
      /** Message ID */
      messageID: string
      seq: number
    }[]
  }
  typing: {
    /** Room ID */
    room: string
    message: string
    /** User ID */
    sender: string
  }
  ai_streaming: {
    /** Room ID */
    room: string
    /** User ID */
    sender: string
    text: string
    /** Message that is being streamed into the history */
    message?: string
    /** With `message`: start of the piece in its text, in UTF-16 units */
    at?: number
  }
  roomPref: {
    /** Room ID */
    room: string
    tags: string[]
    tagColors: {
      [k: string]: string
    }
    hidden: boolean
    sticky: boolean
    muted: boolean
    folder: string
  }
  notificationSettings: {
    /** Absent: the user’s general settings */
    room?: string
    /** Root of a thread in the room */
    threadOf?: string
    /** The complete settings */
    settings: UserNotifications
  }
  reminder: {
    /** Message ID */
    messageID: string
    /** Room ID */
    room: string
    /** Root of the thread, for messages in a thread */
    threadOf?: string
    /** Milliseconds since 1970-01-01 UTC */
    remindAtMS: number
    /** Milliseconds since 1970-01-01 UTC */
    createdAtMS: number
  }
  myPrefChange: {
    data: unknown
    key: string
  }
  myPrefDelete: string
  invitation: Invitation
  removedFromRoom: {
    /** Room ID */
    room: string
    /** Acting user; null for the API key */
    by: string | null
  }
  serverTime: {
    /** Milliseconds since 1970-01-01 UTC */
    serverTimeMS: number
  }
  presence: {
    clients: {
      /** User ID */
      client: string
      /** online: a connected device is not away. away: all connected devices are away. unknown: Redis is unavailable */
      state: 'online' | 'away' | 'offline' | 'unknown'
      /** Whether a device is connected (online or away); absent while unknown */
      online?: boolean
      /** Whether the state is away; absent while unknown */
      away?: boolean
      /** Only offline: when the last device was connected. Absent for hidden users and users who never connected */
      lastSeenMS?: number
    }[]
  }
  userDeleteMessages: {
    /** Room ID */
    room: string
    /** Items: Message ID */
    messages: string[]
    isUserDeleteAllMessagesInRoom: boolean
    /** With all messages: those up to this `seq` */
    upToSeq?: number
  }
  messageDeleted: {
    /** Room ID */
    room: string
    messageID: string
    /** With _all: messages of the room up to this `seq` */
    upToSeq?: number
    /** With _all: messages of its threads up to this `createdAtMS` */
    upToMS?: number
  }
  messageUpdated: Message
}
export interface LoginResult {
  /** User ID */
  _id: string
  appID: string
  /** IM-CLIENT-KEY of the user’s REST calls */
  clientKey: string
  deviceId: string
  /** When the token expires, and with it the connection */
  expirationDate: string
  /** Milliseconds since 1970-01-01 UTC */
  serverTimeMS: number
  /** With `since`: whether all events since then have arrived; false: fetch missed changes */
  resumed?: boolean
}
export interface WebhookCall {
  appID: string
  /** Acting user; empty for the API key */
  clientID: string
  /** Room ID */
  roomID: string
  event: 'MESSAGE' | 'MESSAGE_UPDATED' | 'MESSAGE_DELETED' | 'JOIN_ROOM' | 'ADD_MEMBERS' | 'DELETE_MEMBERS' | 'ROOM'
  botState: string
  /** With MESSAGE: the typed command, if a robot of the room has it */
  command?: {
    name: string
    /** Text after the name */
    text: string
    /**
     * Robots of the room with this command
     *
     * Items: User ID
     */
    robots: string[]
  }
  /** A Message, or {room, sender, members}; with ROOM, also the Room */
  data: unknown
}
export interface PushCall {
  /** Message ID */
  _id: string
  /** Message ID */
  id: string
  /** Content; absent in deleted and recalled messages */
  message?: unknown
  /** Room ID */
  room: string
  messageType: string
  appID: string
  /** ISO-8601 time */
  messageTime: string
  /** Milliseconds since 1970-01-01 UTC */
  messageTimeMS: number
  /** Milliseconds since 1970-01-01 UTC */
  updatedAtMS: number
  /** Milliseconds since 1970-01-01 UTC */
  createdAtMS: number
  reactions: Reaction[]
  reactionCount: number
  isDeleted: boolean
  /** Consecutive number in its room or thread: 1, 2, 3… */
  seq: number
  /** Items: User ID */
  mentions?: string[]
  /** Files; see GET /files/{id} for download URLs */
  attachments?: Attachment[]
  /** Written by the server about a change of members */
  system?: boolean
  pinned?: boolean
  /** The content was replaced */
  edited?: boolean
  /** A robot is still streaming it */
  streaming?: boolean
  /** When it expires and becomes a stub, as if deleted for everyone */
  expiresAtMS?: number
  clientMessageID?: string
  /** Message in the same room that this one replies to */
  replyTo?: Quote
  /** Root of its thread; `seq` counts in the thread */
  threadOf?: string
  /** Number of messages in its thread */
  threadCount?: number
  /** `seq` of the latest message in its thread */
  threadLatestSeq?: number
  /** Latest message in its thread */
  lastThreadMessage?: Quote
  /**
   * First five participants of its thread
   *
   * Items: User ID
   */
  threadParticipants?: string[]
  sender: Sender
  roomName: string
  /**
   * At most 10,000 recipients; the rest follow in further calls
   *
   * Items: User ID
   */
  pushToClients: string[]
  /** Members whose settings suppress the push, by setting */
  keptBack?: {
    /** Items: User ID */
    [k: string]: string[]
  }
  /** Why connected users are named: all their devices are away, or did not answer */
  because?: 'away' | 'half-open'
}
export interface WebhookAnswer {
  /** User ID */
  senderID?: string
  toBotState?: string
  data?: {
    /** Content: any JSON, at most 64 KiB */
    message: unknown
    /** Free-form type, e.g. text, image, announcement; except joinRoom, addMembers, leaveRoom, deleteMember */
    messageType: string
    /** Message ID */
    replyTo?: string
    thread?: boolean
  }
}
export interface ClientCalls {
  /** List the messages of a room, in pages: GET /rooms/:id/messages/v3 */
  listMessages: { input: ListMessagesInput; result: ListMessagesResult }
  /** Send, edit or recall a message as a member of the room: POST /rooms/:id/message */
  writeMessage: { input: WriteMessageInput; result: WriteMessageResult; scheduled: ScheduledMessage }
  /** React to a message: POST /messages/:id/reaction */
  addReaction: { input: AddReactionInput; result: AddReactionResult }
  /** Remove a reaction of the caller: DELETE /messages/:id/reaction */
  removeReaction: { input: RemoveReactionInput; result: RemoveReactionResult }
  /** List the readers of a message: GET /messages/:id/readers */
  listReaders: { input: ListReadersInput; result: ListReadersResult }
  /** Get the preview card of a message’s first link: GET /messages/:id/linkCard */
  getLinkCard: { input: GetLinkCardInput; result: GetLinkCardResult }
  /** List the messages of a thread, in pages: GET /messages/:id/thread */
  listThread: { input: ListThreadInput; result: ListThreadResult }
  /** List the caller’s threads, latest message first: GET /threads */
  listThreads: { input: ListThreadsInput; result: ListThreadsResult }
  /** Report the last message read in a thread: PUT /messages/:id/thread/lastRead */
  markThreadRead: { input: MarkThreadReadInput; result: MarkThreadReadResult }
  /** Cancel a scheduled message: DELETE /scheduled/:id */
  cancelScheduled: { input: CancelScheduledInput; result: CancelScheduledResult }
  /** Change a scheduled message, or reschedule a refused one: PUT /scheduled/:id */
  changeScheduled: { input: ChangeScheduledInput; result: ChangeScheduledResult }
  /** List scheduled messages, next first: GET /scheduled */
  listScheduled: { input: ListScheduledInput; result: ListScheduledResult }
  /** Schedule a message: POST /scheduled */
  scheduleMessage: { input: ScheduleMessageInput; result: ScheduleMessageResult }
  /** Remove a bookmark: DELETE /me/bookmarks/:id */
  deleteBookmark: { input: DeleteBookmarkInput; result: DeleteBookmarkResult }
  /** Cancel the reminder of a message: DELETE /me/reminders/:id */
  deleteReminder: { input: DeleteReminderInput; result: DeleteReminderResult }
  /** List bookmarks, newest first: GET /me/bookmarks */
  listBookmarks: { input: ListBookmarksInput; result: ListBookmarksResult }
  /** List pending reminders, next first: GET /me/reminders */
  listReminders: { input: ListRemindersInput; result: ListRemindersResult }
  /** Bookmark a message; an existing bookmark keeps its position: PUT /me/bookmarks/:id */
  saveBookmark: { input: SaveBookmarkInput; result: SaveBookmarkResult }
  /** Set or move the reminder of a message: POST /me/reminders */
  setReminder: { input: SetReminderInput; result: SetReminderResult }
  /** Delete all current messages of a room for the caller only: POST /messages/user-delete/all-in-room */
  deleteAllForMe: { input: DeleteAllForMeInput; result: DeleteAllForMeResult }
  /** Delete a message, or with _all every message of the room, for everyone: DELETE /rooms/:roomID/messages/:messageID */
  deleteForAll: { input: DeleteForAllInput; result: DeleteForAllResult }
  /** Delete messages for the caller only: POST /messages/user-delete */
  deleteForMe: { input: DeleteForMeInput; result: DeleteForMeResult }
  /** Announce a file and get an upload URL: POST /files */
  createFile: { input: CreateFileInput; result: CreateFileResult }
  /** Get a file and its download URL: GET /files/:id */
  getFile: { input: GetFileInput; result: GetFileResult }
  /** Confirm that a file is uploaded: POST /files/:id/uploaded */
  markUploaded: { input: MarkUploadedInput; result: MarkUploadedResult }
  /** Show the other members that the caller is typing: POST /rooms/:id/typing */
  typing: { input: TypingInput; result: TypingResult }
  /** Append to a streaming message: POST /messages/:id/stream */
  appendStream: { input: AppendStreamInput; result: AppendStreamResult }
  /** End a streaming message: POST /messages/:id/stream/end */
  endStream: { input: EndStreamInput; result: EndStreamResult }
  /** Start streaming a message from a robot: POST /messages/stream */
  openStream: { input: OpenStreamInput; result: OpenStreamResult }
  /** List the pinned messages of a room, newest first: GET /rooms/:id/pins */
  listPins: { input: ListPinsInput; result: ListPinsResult }
  /** Pin a message: POST /messages/:id/pin */
  pinMessage: { input: PinMessageInput; result: PinMessageResult }
  /** Unpin a message: DELETE /messages/:id/pin */
  unpinMessage: { input: UnpinMessageInput; result: UnpinMessageResult }
  /** Delete a room: DELETE /rooms/:id */
  deleteRoom: { input: DeleteRoomInput; result: DeleteRoomResult }
  /** Get one of the caller's rooms: GET /rooms/:id */
  getRoom: { input: GetRoomInput; result: GetRoomResult }
  /** List the caller's rooms: GET /rooms */
  listRooms: { input: ListRoomsInput; result: ListRoomsResult }
  /** Change a room: PUT /rooms/:id */
  updateRoom: { input: UpdateRoomInput; result: UpdateRoomResult }
  /** Report the last message read by the caller: PUT /rooms/:id/lastRead */
  markRead: { input: MarkReadInput; result: MarkReadResult }
  /** Report the last message delivered to the caller, for example by a push: PUT /rooms/:id/delivered */
  markDelivered: { input: MarkDeliveredInput; result: MarkDeliveredResult }
  /** List the commands of the robots in a room, by name: GET /rooms/:id/commands */
  listCommands: { input: ListCommandsInput; result: ListCommandsResult }
  /** Get the total unread count across the caller's rooms: GET /me/badge */
  getBadge: { input: GetBadgeInput; result: GetBadgeResult }
  /** Get unread counts by room tag: POST /badges/byRoomTags */
  getBadgesByRoomTags: { input: GetBadgesByRoomTagsInput; result: GetBadgesByRoomTagsResult }
  /** Mute a room; emits roomPref to the other devices: POST /me/mute/:room */
  muteRoom: { input: MuteRoomInput; result: MuteRoomResult }
  /** Change the caller's preferences for a room; emits roomPref to the other devices: POST /roomPrefs/:room */
  setRoomPref: { input: SetRoomPrefInput; result: SetRoomPrefResult }
  /** Unmute a room; emits roomPref to the other devices: DELETE /me/mute/:room */
  unmuteRoom: { input: UnmuteRoomInput; result: UnmuteRoomResult }
  /** Get the changes for the caller since a time: GET /me/changes */
  getChanges: { input: GetChangesInput; result: GetChangesResult }
  /** Add members to a group, or invite them: POST /rooms/:id/members */
  addMembers: { input: AddMembersInput; result: AddMembersResult }
  /** Decline an invitation: DELETE /rooms/:id/invitations */
  declineInvitation: { input: DeclineInvitationInput; result: DeclineInvitationResult }
  /** Join an open group, or one that invited the caller: POST /rooms/:id/join */
  joinRoom: { input: JoinRoomInput; result: JoinRoomResult }
  /** List the caller’s open invitations, newest first: GET /invitations */
  listInvitations: { input: ListInvitationsInput; result: ListInvitationsResult }
  /** List the members of a room, earliest joined first: GET /rooms/:id/members */
  listMembers: { input: ListMembersInput; result: ListMembersResult }
  /** Leave a group, or remove members from it: POST /rooms/:id/delete/members */
  removeMembers: { input: RemoveMembersInput; result: RemoveMembersResult }
  /** Promote a member to manager, or demote a manager: PUT /rooms/:id/member/:client */
  setMemberRole: { input: SetMemberRoleInput; result: SetMemberRoleResult }
  /** Find users by a prefix of their name: GET /users/search */
  searchUsers: { input: SearchUsersInput; result: SearchUsersResult }
  /** Start a chat with users that the caller can find: POST /me/rooms */
  startChat: { input: StartChatInput; result: StartChatResult }
  /** Get the caller’s profile: GET /me */
  getMe: { input: GetMeInput; result: GetMeResult }
  /** Register a device for push: POST /me/subscribe */
  subscribe: { input: SubscribeInput; result: SubscribeResult }
  /** Unregister a device or, without deviceId and token, all devices of the caller: POST /me/unsubscribe */
  unsubscribe: { input: UnsubscribeInput; result: UnsubscribeResult }
  /** Get the app's public key for Web Push: the applicationServerKey of PushManager.subscribe(): GET /me/webPushKey */
  webPushKey: { input: WebPushKeyInput; result: WebPushKeyResult }
  /** Get the caller's notification settings: GET /me/notifications */
  getMyNotifications: { input: GetMyNotificationsInput; result: GetMyNotificationsResult }
  /** Get the caller's notification settings for a room: GET /me/notifications/rooms/:room */
  getMyRoomNotifications: { input: GetMyRoomNotificationsInput; result: GetMyRoomNotificationsResult }
  /** Get the caller's notification settings for a thread in which they participate: GET /me/notifications/threads/:id */
  getMyThreadNotifications: { input: GetMyThreadNotificationsInput; result: GetMyThreadNotificationsResult }
  /** Set the caller's notification settings; emits notificationSettings to the other devices: PUT /me/notifications */
  setMyNotifications: { input: SetMyNotificationsInput; result: SetMyNotificationsResult }
  /** Set the caller's notification settings for a room; emits notificationSettings to the other devices: PUT /me/notifications/rooms/:room */
  setMyRoomNotifications: { input: SetMyRoomNotificationsInput; result: SetMyRoomNotificationsResult }
  /** Set the caller's notification settings for a thread; emits notificationSettings to the other devices: PUT /me/notifications/threads/:id */
  setMyThreadNotifications: { input: SetMyThreadNotificationsInput; result: SetMyThreadNotificationsResult }
  /** Delete a personal preference; emits myPrefDelete to the other devices: DELETE /me/pref/:key */
  deleteMyPref: { input: DeleteMyPrefInput; result: DeleteMyPrefResult }
  /** List the caller's personal preferences, by key: GET /me/pref */
  listMyPrefs: { input: ListMyPrefsInput; result: ListMyPrefsResult }
  /** Set a personal preference; emits myPrefChange to the other devices: POST /me/pref/:key */
  setMyPref: { input: SetMyPrefInput; result: SetMyPrefResult }
  /** Get the presence of users: GET /presence */
  getPresence: { input: GetPresenceInput; result: GetPresenceResult }
  /** Sign a device out: revoke a token of the caller and disconnect its sockets: DELETE /me/tokens/:id */
  endMyToken: { input: EndMyTokenInput; result: EndMyTokenResult }
  /** List the caller’s active tokens: where they are signed in: GET /me/tokens */
  listMyTokens: { input: ListMyTokensInput; result: ListMyTokensResult }
  /** Issue a new token in place of the calling one: POST /me/token */
  renewToken: { input: RenewTokenInput; result: RenewTokenResult }
  /** Ban a user in a room: POST /blockStatus/room/:roomID/:blockee */
  banMember: { input: BanMemberInput; result: BanMemberResult }
  /** List the active bans in a room, oldest first, for its members: GET /blockStatus/room/:roomID */
  listBans: { input: ListBansInput; result: ListBansResult }
  /** Lift a ban, as the room owner or with the API key: DELETE /blockStatus/room/:roomID/:blockee */
  unbanMember: { input: UnbanMemberInput; result: UnbanMemberResult }
  /** Block a user everywhere: POST /blockStatus/my/:blockee */
  blockUser: { input: BlockUserInput; result: BlockUserResult }
  /** List the users blocked by the caller, oldest block first: GET /blockStatus/my */
  listBlocks: { input: ListBlocksInput; result: ListBlocksResult }
  /** Lift a personal block: DELETE /blockStatus/my/:blockee */
  unblockUser: { input: UnblockUserInput; result: UnblockUserResult }
  /** Report a message to the moderators of the app: POST /messages/:id/report */
  reportMessage: { input: ReportMessageInput; result: ReportMessageResult }
  /** Search the messages of the caller's rooms: POST /search */
  search: { input: SearchInput; result: SearchResult }
  /** Get the configuration: GET /config */
  getConfig: { input: GetConfigInput; result: GetConfigResult }
  /** Export the caller's own data, once a day: POST /me/export */
  exportMe: { input: ExportMeInput; result: ExportMeResult }
  /** Get the progress of the caller's latest export and, for a day after it ends, its URL: GET /me/export */
  getMyExport: { input: GetMyExportInput; result: GetMyExportResult }
}
export interface AdminCalls {
  /** Send a message to many users and rooms: POST /messages/batch */
  sendBatch: { input: SendBatchInput; result: SendBatchResult }
  /** Send a message to a room on behalf of a user: POST /messages */
  sendMessage: { input: SendMessageInput; result: SendMessageResult; scheduled: ScheduledMessage }
  /** Send, edit or recall a message as a member of the room: POST /rooms/:id/message */
  writeMessage: { input: WriteMessageInput; result: WriteMessageResult; scheduled: ScheduledMessage }
  /** List the readers of a message: GET /messages/:id/readers */
  listReaders: { input: ListReadersInput; result: ListReadersResult }
  /** Get the preview card of a message’s first link: GET /messages/:id/linkCard */
  getLinkCard: { input: GetLinkCardInput; result: GetLinkCardResult }
  /** Trace a message: GET /admin/messages/:id/trace */
  traceMessage: { input: TraceMessageInput; result: TraceMessageResult }
  /** Cancel a scheduled message: DELETE /scheduled/:id */
  cancelScheduled: { input: CancelScheduledInput; result: CancelScheduledResult }
  /** Change a scheduled message, or reschedule a refused one: PUT /scheduled/:id */
  changeScheduled: { input: ChangeScheduledInput; result: ChangeScheduledResult }
  /** List scheduled messages, next first: GET /scheduled */
  listScheduled: { input: ListScheduledInput; result: ListScheduledResult }
  /** Schedule a message: POST /scheduled */
  scheduleMessage: { input: ScheduleMessageInput; result: ScheduleMessageResult }
  /** Delete a message, or with _all every message of the room, for everyone: DELETE /rooms/:roomID/messages/:messageID */
  deleteForAll: { input: DeleteForAllInput; result: DeleteForAllResult }
  /** Announce a file and get an upload URL: POST /files */
  createFile: { input: CreateFileInput; result: CreateFileResult }
  /** Get a file and its download URL: GET /files/:id */
  getFile: { input: GetFileInput; result: GetFileResult }
  /** Confirm that a file is uploaded: POST /files/:id/uploaded */
  markUploaded: { input: MarkUploadedInput; result: MarkUploadedResult }
  /** Stream a piece of a message from a robot: POST /rooms/:id/aiStreaming */
  streamText: { input: StreamTextInput; result: StreamTextResult }
  /** Append to a streaming message: POST /messages/:id/stream */
  appendStream: { input: AppendStreamInput; result: AppendStreamResult }
  /** End a streaming message: POST /messages/:id/stream/end */
  endStream: { input: EndStreamInput; result: EndStreamResult }
  /** Start streaming a message from a robot: POST /messages/stream */
  openStream: { input: OpenStreamInput; result: OpenStreamResult }
  /** Pin a message: POST /messages/:id/pin */
  pinMessage: { input: PinMessageInput; result: PinMessageResult }
  /** Unpin a message: DELETE /messages/:id/pin */
  unpinMessage: { input: UnpinMessageInput; result: UnpinMessageResult }
  /** Create a room: POST /rooms/ */
  createRoom: { input: CreateRoomInput; result: CreateRoomResult }
  /** Delete a room: DELETE /rooms/:id */
  deleteRoom: { input: DeleteRoomInput; result: DeleteRoomResult }
  /** Change a room: PUT /rooms/:id */
  updateRoom: { input: UpdateRoomInput; result: UpdateRoomResult }
  /** List the commands of the robots in a room, by name: GET /rooms/:id/commands */
  listCommands: { input: ListCommandsInput; result: ListCommandsResult }
  /** Explain a user's badge, room by room: GET /admin/clients/:client_id/badge */
  explainBadge: { input: ExplainBadgeInput; result: ExplainBadgeResult }
  /** Add a room to a user's mute list: POST /admin/clients/:uid/mute/:room */
  muteUser: { input: MuteUserInput; result: MuteUserResult }
  /** Remove a room from a user's mute list: DELETE /admin/clients/:uid/mute/:room */
  unmuteUser: { input: UnmuteUserInput; result: UnmuteUserResult }
  /** Add members to a group, or invite them: POST /rooms/:id/members */
  addMembers: { input: AddMembersInput; result: AddMembersResult }
  /** List the members of a room, earliest joined first: GET /rooms/:id/members */
  listMembers: { input: ListMembersInput; result: ListMembersResult }
  /** Leave a group, or remove members from it: POST /rooms/:id/delete/members */
  removeMembers: { input: RemoveMembersInput; result: RemoveMembersResult }
  /** Promote a member to manager, or demote a manager: PUT /rooms/:id/member/:client */
  setMemberRole: { input: SetMemberRoleInput; result: SetMemberRoleResult }
  /** Erase a user: DELETE /admin/clients/:client_id */
  eraseUser: { input: EraseUserInput; result: EraseUserResult }
  /** Query users: GET /admin/clients */
  listUsers: { input: ListUsersInput; result: ListUsersResult }
  /** Create or update a user, and issue or assign a token: POST /admin/clients */
  saveUser: { input: SaveUserInput; result: SaveUserResult }
  /** Create or update up to 1,000 users at once: POST /admin/clients/list */
  saveUsers: { input: SaveUsersInput; result: SaveUsersResult }
  /** List the connected devices of a user: GET /admin/clients/:client_id/connections */
  listConnections: { input: ListConnectionsInput; result: ListConnectionsResult }
  /** Delete a user group, but not its members: DELETE /admin/groups/:id */
  deleteGroup: { input: DeleteGroupInput; result: DeleteGroupResult }
  /** List user groups: GET /admin/groups */
  listGroups: { input: ListGroupsInput; result: ListGroupsResult }
  /** Create or replace a user group: POST /admin/groups */
  saveGroup: { input: SaveGroupInput; result: SaveGroupResult }
  /** Get the notification settings of a user: GET /admin/clients/:uid/notifications */
  getNotifications: { input: GetNotificationsInput; result: GetNotificationsResult }
  /** Get the notification settings of a user for a room: GET /admin/clients/:uid/notifications/rooms/:room */
  getRoomNotifications: { input: GetRoomNotificationsInput; result: GetRoomNotificationsResult }
  /** Set the notification settings of a user; emits notificationSettings to their devices: PUT /admin/clients/:uid/notifications */
  setNotifications: { input: SetNotificationsInput; result: SetNotificationsResult }
  /** Set the notification settings of a user for a room; emits notificationSettings to their devices: PUT /admin/clients/:uid/notifications/rooms/:room */
  setRoomNotifications: { input: SetRoomNotificationsInput; result: SetRoomNotificationsResult }
  /** Bind your own token to a user, replacing all of the user’s tokens: PUT /admin/clients/:client_id/token */
  bindToken: { input: BindTokenInput; result: BindTokenResult }
  /** Revoke one token of a user and disconnect its sockets: DELETE /admin/clients/:client_id/tokens/:id */
  endToken: { input: EndTokenInput; result: EndTokenResult }
  /** List the active tokens of a user: GET /admin/clients/:client_id/tokens */
  listTokens: { input: ListTokensInput; result: ListTokensResult }
  /** Revoke one or all tokens of a user: DELETE /admin/clients/:client_id/token */
  revokeTokens: { input: RevokeTokensInput; result: RevokeTokensResult }
  /** Add an API key to the app: POST /admin/keys */
  addKey: { input: AddKeyInput; result: AddKeyResult }
  /** List the app’s API keys, oldest first, without the keys themselves: GET /admin/keys */
  listKeys: { input: ListKeysInput; result: ListKeysResult }
  /** Revoke an API key: DELETE /admin/keys/:id */
  revokeKey: { input: RevokeKeyInput; result: RevokeKeyResult }
  /** List the active bans in a room, oldest first: GET /admin/rooms/:id/bans */
  inspectBans: { input: InspectBansInput; result: InspectBansResult }
  /** List the members of a room with roles, read markers and bans, earliest joined first: GET /admin/rooms/:id/members */
  inspectMembers: { input: InspectMembersInput; result: InspectMembersResult }
  /** Read a page of a room’s history without being a member: GET /admin/rooms/:id/messages */
  inspectMessages: { input: InspectMessagesInput; result: InspectMessagesResult }
  /** List the pinned messages of a room, newest first: GET /admin/rooms/:id/pins */
  inspectPins: { input: InspectPinsInput; result: InspectPinsResult }
  /** Get a room with all its settings and the latest message: GET /admin/rooms/:id */
  inspectRoom: { input: InspectRoomInput; result: InspectRoomResult }
  /** List a user’s rooms with unread counts and roles, latest message first: GET /admin/clients/:client_id/rooms */
  inspectRoomsOfUser: { input: InspectRoomsOfUserInput; result: InspectRoomsOfUserResult }
  /** Read a page of a thread without being a member: GET /admin/messages/:id/thread */
  inspectThread: { input: InspectThreadInput; result: InspectThreadResult }
  /** Query the app’s rooms: GET /admin/rooms */
  listAllRooms: { input: ListAllRoomsInput; result: ListAllRoomsResult }
  /** Get everything about a user: GET /admin/clients/:client_id */
  inspectUser: { input: InspectUserInput; result: InspectUserResult }
  /** List the push devices of the app or of a user: GET /admin/push/devices */
  listDevices: { input: ListDevicesInput; result: ListDevicesResult }
  /** Unregister a push device of a user: DELETE /admin/clients/:client_id/devices/:device */
  removeDevice: { input: RemoveDeviceInput; result: RemoveDeviceResult }
  /** List changes made by API keys, operators and commands, newest first: GET /admin/audit */
  listAudit: { input: ListAuditInput; result: ListAuditResult }
  /** Search the messages of all rooms: POST /admin/search */
  searchAllMessages: { input: SearchAllMessagesInput; result: SearchAllMessagesResult }
  /** Get the timeline of a user or room, newest first: GET /admin/timeline */
  readTimeline: { input: ReadTimelineInput; result: ReadTimelineResult }
  /** Find users by a prefix of their name or ID, or list the latest: GET /admin/users */
  listAllUsers: { input: ListAllUsersInput; result: ListAllUsersResult }
  /** Get the app’s activity now, in the last hour and day, with processes and alerts: GET /admin/overview */
  readOverview: { input: ReadOverviewInput; result: ReadOverviewResult }
  /** Ban a user in a room: POST /blockStatus/room/:roomID/:blockee */
  banMember: { input: BanMemberInput; result: BanMemberResult }
  /** Lift a ban, as the room owner or with the API key: DELETE /blockStatus/room/:roomID/:blockee */
  unbanMember: { input: UnbanMemberInput; result: UnbanMemberResult }
  /** Ban a user from the app: POST /admin/clients/:client_id/ban */
  banUser: { input: BanUserInput; result: BanUserResult }
  /** Lift a user’s ban from the app: DELETE /admin/clients/:client_id/ban */
  unbanUser: { input: UnbanUserInput; result: UnbanUserResult }
  /** Get counts and response times of the MODERATE server: GET /admin/moderation */
  readModeration: { input: ReadModerationInput; result: ReadModerationResult }
  /** Preview a text with censored words masked: GET /admin/censorship */
  tryCensorship: { input: TryCensorshipInput; result: TryCensorshipResult }
  /** Test the MODERATE server with a text: POST /admin/moderation/try */
  tryModeration: { input: TryModerationInput; result: TryModerationResult }
  /** Decide on a reported message: POST /admin/reports/:id/decide */
  decideReport: { input: DecideReportInput; result: DecideReportResult }
  /** List reported messages by first report, newest first: GET /admin/reports */
  listReports: { input: ListReportsInput; result: ListReportsResult }
  /** Send a push notification to all devices of users: POST /push/push2clients */
  pushToClients: { input: PushToClientsInput; result: PushToClientsResult }
  /** Explain why a message was or was not pushed to a user: GET /admin/push/why */
  whyPush: { input: WhyPushInput; result: WhyPushResult }
  /** Remove a configuration key: DELETE /config/:key */
  deleteConfigKey: { input: DeleteConfigKeyInput; result: DeleteConfigKeyResult }
  /** Get the configuration: GET /config */
  getConfig: { input: GetConfigInput; result: GetConfigResult }
  /** Set configuration keys and keep all others: POST /config */
  setConfig: { input: SetConfigInput; result: SetConfigResult }
  /** Get the number of current WebSocket connections: GET /admin/connection-count */
  getConnectionCount: { input: GetConnectionCountInput; result: GetConnectionCountResult }
  /** Get statistics for a time window: GET /admin/stats */
  getStats: { input: GetStatsInput; result: GetStatsResult }
  /** List calls to room webhooks and PUSH_GENERIC that failed permanently, newest first: GET /admin/webhooks/failed */
  listFailedWebhooks: { input: ListFailedWebhooksInput; result: ListFailedWebhooksResult }
  /** List calls to room webhooks and PUSH_GENERIC, newest first: GET /admin/webhooks/calls */
  listWebhookCalls: { input: ListWebhookCallsInput; result: ListWebhookCallsResult }
  /** Get a call with its data, as it would be sent now: GET /admin/webhooks/calls/:id */
  readWebhookCall: { input: ReadWebhookCallInput; result: ReadWebhookCallResult }
  /** Retry a failed call: POST /admin/webhooks/failed/:id/retry */
  retryFailedWebhook: { input: RetryFailedWebhookInput; result: RetryFailedWebhookResult }
  /** Repeat a call that succeeded or failed permanently: POST /admin/webhooks/calls/:id/retry */
  retryWebhookCall: { input: RetryWebhookCallInput; result: RetryWebhookCallResult }
  /** Repeat the calls of a period: POST /admin/webhooks/calls/retry */
  retryWebhookCalls: { input: RetryWebhookCallsInput; result: RetryWebhookCallsResult }
  /** Close a receiver and discard its calls: DELETE /admin/webhooks/receivers/:id */
  closeWebhookReceiver: { input: CloseWebhookReceiverInput; result: CloseWebhookReceiverResult }
  /** Open a test receiver: a Parley URL that records calls: POST /admin/webhooks/receivers */
  openWebhookReceiver: { input: OpenWebhookReceiverInput; result: OpenWebhookReceiverResult }
  /** List the calls that a receiver recorded, newest first: GET /admin/webhooks/receivers/:id */
  readWebhookReceiver: { input: ReadWebhookReceiverInput; result: ReadWebhookReceiverResult }
  /** List the app's events in order: GET /admin/events */
  listEvents: { input: ListEventsInput; result: ListEventsResult }
  /** Get the progress and outcomes of a background job: GET /admin/jobs/:id */
  getJob: { input: GetJobInput; result: GetJobResult }
  /** List background jobs, newest first: GET /admin/jobs */
  listJobs: { input: ListJobsInput; result: ListJobsResult }
  /** Lift a legal hold: DELETE /admin/holds/:id */
  liftHold: { input: LiftHoldInput; result: LiftHoldResult }
  /** List the active legal holds, newest first: GET /admin/holds */
  listHolds: { input: ListHoldsInput; result: ListHoldsResult }
  /** Place a legal hold on a user or room: POST /admin/holds */
  placeHold: { input: PlaceHoldInput; result: PlaceHoldResult }
  /** Export everything about a user: POST /admin/clients/:client_id/export */
  exportUser: { input: ExportUserInput; result: ExportUserResult }
}
