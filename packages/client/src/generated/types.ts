// Written by `npm run docs:client` from packages/contracts: change that, not this.
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
      /**
       * ID of the job: see GET /admin/jobs/{id}
       */
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
  /**
   * User ID
   */
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
      /**
       * ID of the job: see GET /admin/jobs/{id}
       */
      job: string
    }
export type SaveUserResult =
  | SavedUser
  | {
      /**
       * User ID
       */
      _id: string
      nickname: string
      avatarUrl: string
      issueAccessToken: boolean
      token: string
      /**
       * ISO-8601 time
       */
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
  /**
   * ID of the job: see GET /admin/jobs/{id}
   */
  job: string
}
export type ExportUserResult = {
  /**
   * ID of the job: see GET /admin/jobs/{id}
   */
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
  /**
   * Room ID
   */
  id: string
  /**
   * Max messages returned
   */
  limit?: number
  /**
   * Messages before this message, where it stands now
   */
  beforeMessage?: string
  /**
   * Messages after this message, where it stands now
   */
  afterMessage?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt' | 'messageTime'
}
export interface Message {
  /**
   * Message ID
   */
  _id: string
  /**
   * Message ID
   */
  id: string
  /**
   * Content; absent once the message is deleted or recalled
   */
  message?: unknown
  /**
   * Room ID
   */
  room: string
  messageType: string
  appID: string
  /**
   * ISO-8601 time
   */
  messageTime: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  messageTimeMS: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  updatedAtMS: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
  reactions: Reaction[]
  reactionCount: number
  isDeleted: boolean
  /**
   * 1, 2, 3… without holes in its room or thread
   */
  seq: number
  /**
   * Items: User ID
   */
  mentions?: string[]
  /**
   * Its files; GET /files/{id} has where to fetch one
   */
  attachments?: Attachment[]
  /**
   * The server wrote it, about a change of members
   */
  system?: boolean
  pinned?: boolean
  /**
   * Its content was replaced
   */
  edited?: boolean
  /**
   * A robot is still writing it
   */
  streaming?: boolean
  /**
   * When it expires, and becomes a stub as one deleted for all
   */
  expiresAtMS?: number
  clientMessageID?: string
  /**
   * The message of the same room that it replies to
   */
  replyTo?: Quote
  /**
   * The root of its thread; seq then counts in the thread
   */
  threadOf?: string
  /**
   * The messages of the thread about it
   */
  threadCount?: number
  /**
   * `seq` of the latest message of the thread
   */
  threadLatestSeq?: number
  /**
   * The last of them
   */
  lastThreadMessage?: Quote
  /**
   * The first five users of the thread
   *
   * Items: User ID
   */
  threadParticipants?: string[]
  sender: Sender
}
export interface Reaction {
  /**
   * User ID
   */
  client: string
  reaction: string
}
export interface Attachment {
  /**
   * File ID
   */
  fileID: string
  /**
   * As the sender called it
   */
  name: string
  /**
   * Media type
   */
  type: string
  /**
   * Bytes
   */
  size: number
  /**
   * In pixels, as the sender says
   */
  width?: number
  /**
   * In pixels, as the sender says
   */
  height?: number
  /**
   * In seconds, as the sender says
   */
  duration?: number
}
export interface Quote {
  /**
   * Message ID
   */
  _id: string
  /**
   * User ID
   */
  sender: string
  messageType: string
  /**
   * The first 200 characters of its text, or of the `text` of its content; empty where there is none, and when it was deleted or recalled
   */
  text: string
  isDeleted: boolean
}
export interface Sender {
  /**
   * User ID
   */
  _id: string
  /**
   * User ID
   */
  id: string
  nickname: string
  description: string
  avatarUrl: string
  isRobot?: boolean
  /**
   * 0 when the user never logged in
   */
  lastLoginTimeMS: number
}
export interface ListMessagesResult {
  /**
   * All messages in the room
   */
  totalCount: number
  /**
   * `seq` of the latest message; 0 without one
   */
  latestSeq: number
  data: Message[]
  /**
   * IDs of the messages of this page that the caller deleted for themselves: `data` has them too, and clients hide them
   */
  userDeletedIDs: string[]
  /**
   * Diagnostic only
   */
  inspect: {
    query: unknown
    tookMS: number
  }
}
export interface SendBatchInput {
  /**
   * Content: any JSON, at most 64 KiB
   */
  message: unknown
  /**
   * Free-form type, e.g. text, image, announcement; not joinRoom, addMembers, leaveRoom, deleteMember
   */
  messageType: string
  /**
   * Required: without it every recipient gets an error
   */
  sender?: string
  push?: boolean
  skipTotalBadge?: boolean
  /**
   * Seconds until the message expires; 0 for never. By default the room’s setting
   */
  expiresInS?: number
  /**
   * Uploaded files of the sender; name, type and size are those of the file, whatever is given
   */
  attachments?: {
    /**
     * File ID
     */
    fileID: string
    /**
     * As the sender called it
     */
    name?: string
    /**
     * Media type
     */
    type?: string
    /**
     * Bytes
     */
    size?: number
    /**
     * In pixels, as the sender says
     */
    width?: number
    /**
     * In pixels, as the sender says
     */
    height?: number
    /**
     * In seconds, as the sender says
     */
    duration?: number
  }[]
  /**
   * Recipients, each with the texts of its patterns
   */
  paras: {
    /**
     * User ID
     */
    receiver?: string
    /**
     * Room ID
     */
    room?: string
    [k: string]: string | undefined
  }[]
}
export interface SentMessage {
  /**
   * Message ID
   */
  _id: string
  /**
   * Message ID
   */
  id: string
  /**
   * Content; absent once the message is deleted or recalled
   */
  message?: unknown
  /**
   * Room ID
   */
  room: string
  messageType: string
  appID: string
  /**
   * ISO-8601 time
   */
  messageTime: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  messageTimeMS: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  updatedAtMS: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
  reactions: Reaction[]
  reactionCount: number
  isDeleted: boolean
  /**
   * 1, 2, 3… without holes in its room or thread
   */
  seq: number
  /**
   * Items: User ID
   */
  mentions?: string[]
  /**
   * Its files; GET /files/{id} has where to fetch one
   */
  attachments?: Attachment[]
  /**
   * The server wrote it, about a change of members
   */
  system?: boolean
  pinned?: boolean
  /**
   * Its content was replaced
   */
  edited?: boolean
  /**
   * A robot is still writing it
   */
  streaming?: boolean
  /**
   * When it expires, and becomes a stub as one deleted for all
   */
  expiresAtMS?: number
  clientMessageID?: string
  /**
   * The message of the same room that it replies to
   */
  replyTo?: Quote
  /**
   * The root of its thread; seq then counts in the thread
   */
  threadOf?: string
  /**
   * The messages of the thread about it
   */
  threadCount?: number
  /**
   * `seq` of the latest message of the thread
   */
  threadLatestSeq?: number
  /**
   * The last of them
   */
  lastThreadMessage?: Quote
  /**
   * The first five users of the thread
   *
   * Items: User ID
   */
  threadParticipants?: string[]
  /**
   * User ID
   */
  sender: string
}
export interface SendMessageInput {
  /**
   * Room ID
   */
  room: string
  /**
   * User ID
   */
  sender: string
  /**
   * Content: any JSON, at most 64 KiB
   */
  message: unknown
  /**
   * Free-form type, e.g. text, image, announcement; not joinRoom, addMembers, leaveRoom, deleteMember
   */
  messageType: string
  /**
   * Send push to room members
   */
  push?: boolean
  /**
   * Leave the badge out of the pushes of this message; it counts as unread like any other
   */
  skipTotalBadge?: boolean
  /**
   * Users to notify of being mentioned; a user group stands for its members, `@room` for every member, `@here` for those who are connected
   *
   * Items: User ID
   */
  mentions?: string[]
  /**
   * Makes the send repeatable for 24 hours
   */
  clientMessageID?: string
  /**
   * Uploaded files of the sender; name, type and size are those of the file, whatever is given
   */
  attachments?: {
    /**
     * File ID
     */
    fileID: string
    /**
     * As the sender called it
     */
    name?: string
    /**
     * Media type
     */
    type?: string
    /**
     * Bytes
     */
    size?: number
    /**
     * In pixels, as the sender says
     */
    width?: number
    /**
     * In pixels, as the sender says
     */
    height?: number
    /**
     * In seconds, as the sender says
     */
    duration?: number
  }[]
  /**
   * ID of the message of the same room that it replies to
   */
  replyTo?: string
  /**
   * Keeps the message in the thread about the one that it replies to
   */
  thread?: boolean
  /**
   * Seconds until the message expires; 0 for never. By default the room’s setting
   */
  expiresInS?: number
  /**
   * Sends it later, by the rules of POST /scheduled, and returns 202 with a ScheduledMessage: a time to come, within a year
   */
  sendAtMS?: number
}
export interface WriteMessageInput {
  /**
   * Room ID
   */
  id: string
  /**
   * The message to edit or recall; sends a new one when absent
   */
  _id?: string
  /**
   * With the API key only: required to send; without it the API key edits a message of anybody
   */
  sender?: string
  /**
   * Content: any JSON, at most 64 KiB; left out to recall
   */
  message?: unknown
  /**
   * Required to send; `recall` with `_id` recalls
   */
  messageType?: string
  /**
   * Items: User ID
   */
  mentions?: string[]
  push?: boolean
  skipTotalBadge?: boolean
  /**
   * Makes the send repeatable for 24 hours
   */
  clientMessageID?: string
  /**
   * Files to send with a new message; a message keeps its own
   */
  attachments?: {
    /**
     * File ID
     */
    fileID: string
    /**
     * As the sender called it
     */
    name?: string
    /**
     * Media type
     */
    type?: string
    /**
     * Bytes
     */
    size?: number
    /**
     * In pixels, as the sender says
     */
    width?: number
    /**
     * In pixels, as the sender says
     */
    height?: number
    /**
     * In seconds, as the sender says
     */
    duration?: number
  }[]
  /**
   * ID of the message of the same room that it replies to
   */
  replyTo?: string
  /**
   * Keeps the message in the thread about the one that it replies to
   */
  thread?: boolean
  /**
   * Seconds until the message expires; 0 for never. By default the room’s setting
   */
  expiresInS?: number
  /**
   * Sends it later, by the rules of POST /scheduled, and returns 202 with a ScheduledMessage: a time to come, within a year
   */
  sendAtMS?: number
}
export interface AddReactionInput {
  /**
   * Message ID
   */
  id: string
  /**
   * The reaction, e.g. an emoji
   */
  reaction: string
}
export interface RemoveReactionInput {
  /**
   * Message ID
   */
  id: string
  /**
   * A reaction of the caller
   */
  reaction: string
}
export interface ListReadersInput {
  /**
   * Message ID
   */
  id: string
}
export interface ListReadersResult {
  /**
   * Message ID
   */
  messageID: string
  /**
   * Room ID
   */
  roomID: string
  /**
   * How many have read it
   */
  totalCount: number
  /**
   * The members of the room, with the sender
   */
  memberCount: number
  data: {
    /**
     * User ID
     */
    _id: string
    /**
     * User ID
     */
    id: string
    nickname: string
    description: string
    avatarUrl: string
    isRobot?: boolean
    /**
     * 0 when the user never logged in
     */
    lastLoginTimeMS: number
    /**
     * When they last reported a read position in the room
     */
    lastReadTimeMS?: number
  }[]
}
export interface GetLinkCardInput {
  /**
   * Message ID
   */
  id: string
}
export interface GetLinkCardResult {
  /**
   * Message ID
   */
  messageID: string
  card?: {
    /**
     * The link, as it stands in the message
     */
    url: string
    /**
     * At most 200 characters
     */
    title: string
    /**
     * At most 500 characters
     */
    description?: string
    /**
     * At most 100 characters
     */
    siteName?: string
    /**
     * URL of a picture, at the server that the page names
     */
    image?: string
  }
}
export interface ListThreadInput {
  /**
   * Message ID
   */
  id: string
  /**
   * Max messages returned
   */
  limit?: number
  /**
   * Messages before this message, where it stands now
   */
  beforeMessage?: string
  /**
   * Messages after this message, where it stands now
   */
  afterMessage?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt' | 'messageTime'
}
export interface ListThreadResult {
  /**
   * The message that the thread is about
   */
  root: Message
  /**
   * All messages of the thread
   */
  totalCount: number
  /**
   * `seq` of the latest message; 0 without one
   */
  latestSeq: number
  /**
   * Whether the caller sent the root or a message of the thread
   */
  takesPart: boolean
  /**
   * Messages of the thread that the caller has not read; 0 outside of it
   */
  unread: number
  data: Message[]
  /**
   * IDs of the messages of this page that the caller deleted for themselves, the root among them
   */
  userDeletedIDs: string[]
}
export interface ListThreadsInput {
  /**
   * true: only those with unread messages
   */
  unread?: 'true' | 'false'
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListThreadsResult {
  /**
   * How many of all threads have unread messages
   */
  unreadThreads: number
  data: {
    /**
     * The message that the thread is about
     */
    root: Message
    /**
     * All messages of the thread
     */
    totalCount: number
    /**
     * `seq` of the latest message; 0 without one
     */
    latestSeq: number
    /**
     * Messages of the thread that the caller has not read; 0 outside of it
     */
    unread: number
  }[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface MarkThreadReadInput {
  /**
   * Message ID
   */
  id: string
  /**
   * A message of the thread
   */
  message: string
}
export interface MarkThreadReadResult {
  /**
   * Message ID
   */
  threadOf: string
  /**
   * Messages of the thread that the caller has not read; 0 outside of it
   */
  unread: number
}
export interface TraceMessageInput {
  /**
   * Message ID
   */
  id: string
}
export interface WebhookDelivery {
  /**
   * The webhook-id of every try
   */
  id: string
  /**
   * A room's webhook, or PUSH_GENERIC
   */
  kind: 'webhook' | 'push'
  /**
   * Room ID
   */
  roomID: string
  clientID: string
  /**
   * The event of the webhook; PUSH for PUSH_GENERIC
   */
  event: string
  state: 'waiting' | 'done' | 'failed'
  tries: number
  /**
   * When it was queued, the last time
   */
  createdAtMS: number
  /**
   * HTTP status of the last response
   */
  status?: number
  /**
   * The first KiB of its body
   */
  answer?: string
  /**
   * Of the last try
   */
  durationMS?: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  lastTryAtMS?: number
  /**
   * Why the last try failed
   */
  lastError?: string
}
export interface TraceMessageResult {
  /**
   * Message ID
   */
  message: string
  /**
   * Room ID
   */
  room: string
  /**
   * User ID
   */
  sender: string
  seq: number
  isDeleted: boolean
  accepted: {
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    atMS: number
    /**
     * ID of the request that sent it
     */
    request?: string
  }
  /**
   * Its event in the stream; absent when it is not there: not yet, or not any more
   */
  published?: {
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    atMS: number
    streamSeq: number
  }
  /**
   * Whether it has left the buffer of its room
   */
  flushed: boolean
  deliveries: {
    node: string
    /**
     * Sockets that it was handed to
     */
    sockets: number
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    atMS: number
    /**
     * They got it when they came back with `since`; all of them together, and the time of the latest
     */
    caughtUp?: true
  }[]
  /**
   * Realtime nodes that did not answer in time
   */
  silentNodes: string[]
  push: {
    recorded: boolean
    /**
     * Members without a push, by reason
     */
    members: {
      [k: string]: number
    }
    /**
     * Devices by decision: DUE, CONNECTED, NO_NETWORK; with PUSH_GENERIC users as CALLED
     */
    devices: {
      [k: string]: number
    }
    /**
     * Outcomes of the pushes: sent, refused, dead, dropped
     */
    results: {
      [k: string]: number
    }
  }
  /**
   * Calls to the room's webhook and to PUSH_GENERIC
   */
  calls: WebhookDelivery[]
  readBy: {
    totalCount: number
    /**
     * At most 1,000, the longest-standing members first
     *
     * Items: User ID
     */
    data: string[]
  }
}
export interface CancelScheduledInput {
  /**
   * Its ID
   */
  id: string
}
export interface ScheduledMessage {
  id: string
  /**
   * Room ID
   */
  room: string
  /**
   * User ID
   */
  sender: string
  message: unknown
  messageType: string
  /**
   * Items: User ID
   */
  mentions?: string[]
  clientMessageID?: string
  /**
   * Its files, which stay while it waits
   */
  attachments?: Attachment[]
  /**
   * Message ID
   */
  replyTo?: string
  thread?: boolean
  /**
   * Seconds from when it is sent
   */
  expiresInS?: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  sendAtMS: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
  /**
   * Why it was not sent when it was due; absent while it waits
   */
  refused?: {
    code: string
    message: string
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    atMS: number
  }
}
export interface ChangeScheduledInput {
  /**
   * Its ID
   */
  id: string
  /**
   * Required for one that was refused
   */
  sendAtMS?: number
  /**
   * Content: any JSON, at most 64 KiB
   */
  message?: unknown
  /**
   * Free-form type, e.g. text, image, announcement; not joinRoom, addMembers, leaveRoom, deleteMember
   */
  messageType?: string
  /**
   * The files that it has from now on; an empty list takes them out. They stay as they are by default
   */
  attachments?: {
    /**
     * File ID
     */
    fileID: string
    /**
     * As the sender called it
     */
    name?: string
    /**
     * Media type
     */
    type?: string
    /**
     * Bytes
     */
    size?: number
    /**
     * In pixels, as the sender says
     */
    width?: number
    /**
     * In pixels, as the sender says
     */
    height?: number
    /**
     * In seconds, as the sender says
     */
    duration?: number
  }[]
}
export interface ListScheduledInput {
  /**
   * With the API key only
   */
  sender?: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListScheduledResult {
  data: ScheduledMessage[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface ScheduleMessageInput {
  /**
   * Room ID
   */
  room: string
  /**
   * With the API key only, and required then
   */
  sender?: string
  /**
   * Content: any JSON, at most 64 KiB
   */
  message: unknown
  /**
   * Free-form type, e.g. text, image, announcement; not joinRoom, addMembers, leaveRoom, deleteMember
   */
  messageType: string
  /**
   * When to send it: a time to come, within a year
   */
  sendAtMS: number
  push?: boolean
  skipTotalBadge?: boolean
  /**
   * Items: User ID
   */
  mentions?: string[]
  clientMessageID?: string
  /**
   * Uploaded files of the sender; name, type and size are those of the file, whatever is given
   */
  attachments?: {
    /**
     * File ID
     */
    fileID: string
    /**
     * As the sender called it
     */
    name?: string
    /**
     * Media type
     */
    type?: string
    /**
     * Bytes
     */
    size?: number
    /**
     * In pixels, as the sender says
     */
    width?: number
    /**
     * In pixels, as the sender says
     */
    height?: number
    /**
     * In seconds, as the sender says
     */
    duration?: number
  }[]
  /**
   * Message ID
   */
  replyTo?: string
  /**
   * Keeps the message in the thread about the one that it replies to
   */
  thread?: boolean
  /**
   * Seconds until the message expires; 0 for never. By default the room’s setting
   */
  expiresInS?: number
}
export interface DeleteBookmarkInput {
  /**
   * Message ID
   */
  id: string
}
export interface DeleteBookmarkResult {
  /**
   * 1, or 0 if there was none
   */
  removed: number
}
export interface DeleteReminderInput {
  /**
   * Message ID
   */
  id: string
}
export interface DeleteReminderResult {
  /**
   * 1, or 0 if there was none
   */
  removed: number
}
export interface ListBookmarksInput {
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface SavedMessage {
  /**
   * Message ID
   */
  messageID: string
  /**
   * Room ID
   */
  room: string
  /**
   * Of a message in a thread: its root
   */
  threadOf?: string
  /**
   * Of a reminder
   */
  remindAtMS?: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
  /**
   * As it is now, in lists
   */
  message?: Message
}
export interface ListBookmarksResult {
  data: SavedMessage[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface ListRemindersInput {
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListRemindersResult {
  data: SavedMessage[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface SaveBookmarkInput {
  /**
   * Message ID
   */
  id: string
}
export interface SetReminderInput {
  /**
   * Message ID
   */
  message: string
  /**
   * When to remind: a time to come, within a year
   */
  remindAtMS: number
}
export interface DeleteAllForMeInput {
  /**
   * Room ID
   */
  room: string
}
export interface DeleteAllForMeResult {
  /**
   * Room ID
   */
  room: string
  /**
   * Items: Message ID
   */
  messages: string[]
  isUserDeleteAllMessagesInRoom: boolean
  /**
   * Of all messages: those of the room up to this `seq`
   */
  upToSeq?: number
}
export interface DeleteForAllInput {
  /**
   * Room ID
   */
  roomID: string
  /**
   * Message ID, or _all
   */
  messageID: string
}
export interface DeleteForAllResult {
  deletedCount: number
  /**
   * Room ID
   */
  roomID: string
  /**
   * Message ID
   */
  messageID: string
  /**
   * null when the API key did
   */
  deletedBy: string | null
  /**
   * ISO-8601 time
   */
  deletedAt: string
}
export interface DeleteForMeInput {
  /**
   * Room ID
   */
  room: string
  /**
   * Items: Message ID
   */
  messages: string[]
}
export interface DeleteForMeResult {
  /**
   * Room ID
   */
  room: string
  /**
   * Items: Message ID
   */
  messages: string[]
  isUserDeleteAllMessagesInRoom: boolean
  /**
   * Of all messages: those of the room up to this `seq`
   */
  upToSeq?: number
}
export interface CreateFileInput {
  /**
   * Its name, without folders
   */
  name: string
  /**
   * Media type; its parameters are left out
   */
  type?: string
  /**
   * Bytes
   */
  size: number
  /**
   * With the API key only: the owner; without one, the integrator may send it in any user’s name
   */
  owner?: string
}
export interface NewFile {
  /**
   * File ID
   */
  fileID: string
  /**
   * As the sender called it
   */
  name: string
  /**
   * Media type
   */
  type: string
  /**
   * Bytes
   */
  size: number
  /**
   * Its user; absent for a file of the integrator’s
   */
  owner?: string
  /**
   * `waiting`: it has not been uploaded yet; `checking`: a scanner looks at it first; `refused`: by the scanner
   */
  status: 'waiting' | 'checking' | 'uploaded' | 'refused'
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
  /**
   * Fetch it here with your headers: GET /files/{id}
   */
  url: string
  upload: {
    method: 'PUT'
    /**
     * Where the bytes go: the body is the file, nothing else
     */
    url: string
    /**
     * To send with them
     */
    headers: {
      [k: string]: string
    }
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    expiresAtMS: number
  }
}
export interface GetFileInput {
  /**
   * File ID
   */
  id: string
  /**
   * The browser is to save the file, not show it
   */
  download?: 'true' | 'false'
  /**
   * Return 302 to the address instead
   */
  redirect?: 'true' | 'false'
}
export interface File {
  /**
   * File ID
   */
  fileID: string
  /**
   * As the sender called it
   */
  name: string
  /**
   * Media type
   */
  type: string
  /**
   * Bytes
   */
  size: number
  /**
   * Its user; absent for a file of the integrator’s
   */
  owner?: string
  /**
   * `waiting`: it has not been uploaded yet; `checking`: a scanner looks at it first; `refused`: by the scanner
   */
  status: 'waiting' | 'checking' | 'uploaded' | 'refused'
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
  /**
   * Where its bytes are, without any header, until urlExpiresAtMS; absent while it is not `uploaded`
   */
  url?: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  urlExpiresAtMS?: number
  /**
   * Of a picture, at most 480 pixels wide and high, a WebP: some seconds after it was uploaded
   */
  thumbnail?: {
    url: string
    width: number
    height: number
  }
}
export interface MarkUploadedInput {
  /**
   * File ID
   */
  id: string
}
export interface StreamTextInput {
  /**
   * Room ID
   */
  id: string
  /**
   * A robot in the room
   */
  sender: string
  text: string
}
export interface StreamTextResult {}
export interface TypingInput {
  /**
   * Room ID
   */
  id: string
  /**
   * Empty: the text was cleared, and typing ends
   */
  message: string
}
export interface TypingResult {}
export interface AppendStreamInput {
  /**
   * Message ID
   */
  id: string
  text: string
  /**
   * Where the piece begins, in UTF-16 units; left out, where the last one ends
   */
  at?: number
}
export interface AppendStreamResult {
  /**
   * Message ID
   */
  messageID: string
  /**
   * Where the piece ends: the next `at`
   */
  length: number
}
export interface EndStreamInput {
  /**
   * Message ID
   */
  id: string
  /**
   * The whole content, instead of the pieces: any JSON, at most 64 KiB
   */
  message?: unknown
}
export interface OpenStreamInput {
  /**
   * Room ID
   */
  room: string
  /**
   * A robot in the room; required with the API key
   */
  sender?: string
  /**
   * Free-form type, e.g. text, image, announcement; not joinRoom, addMembers, leaveRoom, deleteMember
   */
  messageType?: string
  /**
   * Whether there is a push at the end
   */
  push?: boolean
  /**
   * Makes the send repeatable for 24 hours
   */
  clientMessageID?: string
  /**
   * Uploaded files of the sender; name, type and size are those of the file, whatever is given
   */
  attachments?: {
    /**
     * File ID
     */
    fileID: string
    /**
     * As the sender called it
     */
    name?: string
    /**
     * Media type
     */
    type?: string
    /**
     * Bytes
     */
    size?: number
    /**
     * In pixels, as the sender says
     */
    width?: number
    /**
     * In pixels, as the sender says
     */
    height?: number
    /**
     * In seconds, as the sender says
     */
    duration?: number
  }[]
  /**
   * The message of the same room that it replies to
   */
  replyTo?: string
  /**
   * Keeps the message in the thread about the one that it replies to
   */
  thread?: boolean
  /**
   * Seconds until the message expires; 0 for never. By default the room’s setting
   */
  expiresInS?: number
}
export interface ListPinsInput {
  /**
   * Room ID
   */
  id: string
  limit?: number
  /**
   * `beforeSeq` of the page before
   */
  beforeSeq?: number
}
export interface ListPinsResult {
  data: Message[]
  /**
   * Of the next page; absent on the last one
   */
  beforeSeq?: number
}
export interface PinMessageInput {
  /**
   * Message ID
   */
  id: string
}
export interface UnpinMessageInput {
  /**
   * Message ID
   */
  id: string
}
export interface CreateRoomInput {
  name?: string
  /**
   * Cover image URL
   */
  cover?: string
  description?: string
  roomTags?: string[]
  /**
   * An http(s) URL, or a key of the configuration `webhookKeys`; by the API key only, and shown to it alone
   */
  webhook?: string
  /**
   * By the API key only, and shown to it alone
   */
  botState?: string
  botMode?: boolean
  /**
   * Any JSON object of at most 16 KiB
   */
  extParams?: {
    [k: string]: unknown
  }
  /**
   * Seconds between two messages of a member; 0 for none
   */
  slowModeS?: number
  /**
   * Seconds until a message of the room expires, unless it says otherwise; 0 for never
   */
  expiresInS?: number
  /**
   * Days after which its messages go; 0: as the configuration `retention` says. By the API key only
   */
  retentionDays?: number
  /**
   * User ID
   */
  owner?: string
  /**
   * Room ID
   */
  _id?: string
  roomType: 'direct' | 'group'
  /**
   * User IDs; two for a direct room
   *
   * Items: User ID
   */
  members: string[]
  /**
   * Write a message of type joinRoom
   */
  systemMessage?: boolean
  encrypted?: boolean
  /**
   * 0 closed to joining and invitations, 1 open
   */
  opening?: 0 | 1
  serviceStatus?: number
}
export interface Room {
  /**
   * Room ID
   */
  _id: string
  /**
   * Room ID
   */
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
  /**
   * 1 active, 0 frozen
   */
  status: number
  /**
   * The first 50 members
   */
  members: Sender[]
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdTimeMS: number
  unread?: number
  muted?: boolean
  lastMessage?: Message
  pref?: RoomPref
  /**
   * NotificationsOfRoom of the caller; absent where they set none
   */
  notifications?: {
    /**
     * Absent: the next wider level counts
     */
    level?: 'all' | 'mentions' | 'none'
    /**
     * Levels of single message types, which come before `level`
     */
    types?: {
      messageType: string
      level: 'all' | 'mentions' | 'none'
    }[]
    /**
     * Until then only messages that name the user are pushed
     */
    muteUntilMS?: number
  }
  memberCount: number
  /**
   * User ID
   */
  owner?: string
  /**
   * Items: User ID
   */
  managers: string[]
  /**
   * 0 closed to joining and invitations, 1 open
   */
  opening: number
  extParams: {
    [k: string]: unknown
  }
  /**
   * Seconds between two messages of a member; absent for none
   */
  slowModeS?: number
  /**
   * Seconds until a message without expiresInS of its own expires; absent: never
   */
  expiresInS?: number
  /**
   * Days after which its messages go; absent: as the configuration `retention` says
   */
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
  /**
   * Room ID
   */
  id: string
}
export interface GetRoomInput {
  /**
   * Room ID
   */
  id: string
}
export interface ListRoomsInput {
  /**
   * Space-separated lastMessage, createdTime, name (by the alphabet); prefix - for descending
   */
  sort?: string
  skip?: number
  /**
   * 0 means no limit
   */
  limit?: number
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  updatedAfter?: string
  /**
   * JSON object: filter by the room preferences of the caller
   */
  pref?: string
  /**
   * Non-zero: rooms with unread messages first
   */
  sortUnreadFirst?: number
}
export interface ListRoomsResult {
  totalCount: number
  data: Room[]
  /**
   * Diagnostic only
   */
  inspect: {
    query: unknown
    tookMS: number
  }
}
export interface UpdateRoomInput {
  /**
   * Room ID
   */
  id: string
  name?: string
  /**
   * Cover image URL
   */
  cover?: string
  description?: string
  roomTags?: string[]
  /**
   * An http(s) URL, or a key of the configuration `webhookKeys`; by the API key only, and shown to it alone
   */
  webhook?: string
  /**
   * By the API key only, and shown to it alone
   */
  botState?: string
  botMode?: boolean
  /**
   * Any JSON object of at most 16 KiB
   */
  extParams?: {
    [k: string]: unknown
  }
  /**
   * Seconds between two messages of a member; 0 for none
   */
  slowModeS?: number
  /**
   * Seconds until a message of the room expires, unless it says otherwise; 0 for never
   */
  expiresInS?: number
  /**
   * Days after which its messages go; 0: as the configuration `retention` says. By the API key only
   */
  retentionDays?: number
  /**
   * User ID
   */
  owner?: string
  /**
   * Items: User ID
   */
  managers?: string[]
  /**
   * 0 closed to joining and invitations, 1 open
   */
  opening?: 0 | 1
  /**
   * 0 frozen: sends are refused
   */
  status?: 0 | 1
}
export interface MarkReadInput {
  /**
   * Room ID
   */
  id: string
  /**
   * Message ID
   */
  message: string
}
export interface MarkReadResult {
  /**
   * Room ID
   */
  roomID: string
  /**
   * User ID
   */
  memberID: string
  /**
   * Message ID
   */
  messageID: string
  unread: number
}
export interface MarkDeliveredInput {
  /**
   * Room ID
   */
  id: string
  /**
   * Message ID
   */
  message: string
}
export interface MarkDeliveredResult {
  /**
   * Room ID
   */
  roomID: string
  /**
   * User ID
   */
  memberID: string
  /**
   * The message that was reported
   */
  messageID: string
  /**
   * False in a room with too many members: the marker is neither stored nor announced
   */
  isMarked: boolean
}
export interface ListCommandsInput {
  /**
   * Room ID
   */
  id: string
}
export interface ExplainBadgeInput {
  /**
   * User ID
   */
  client_id: string
  /**
   * Also count from the messages
   */
  verify?: 'true' | 'false'
  /**
   * Rooms to pass over
   */
  skip?: number
  /**
   * Rooms at most
   */
  limit?: number
}
export interface ExplainBadgeResult {
  /**
   * User ID
   */
  client: string
  /**
   * Total unread across all rooms, as GET /me/badge returns it
   */
  badge: number
  /**
   * The rooms of the user
   */
  totalCount: number
  data: {
    /**
     * Room ID
     */
    room: string
    /**
     * seq of the last message of the room
     */
    seq: number
    /**
     * seq of the last message that counts as read
     */
    readSeq: number
    /**
     * Messages after the marker that do not count as unread, as they are kept
     */
    uncounted: number
    /**
     * Of them, sent by the user
     */
    own?: number
    /**
     * Of them, deleted for all or recalled
     */
    deleted?: number
    /**
     * Of them, deleted by the user for themselves
     */
    hidden?: number
    unread: number
    /**
     * With verify: unread as counted from the messages
     */
    countedUnread?: number
    /**
     * With verify: whether both are the same
     */
    agrees?: boolean
  }[]
  /**
   * With verify: whether all rooms of this page that were counted agree
   */
  agrees?: boolean
  /**
   * With verify: rooms of this page with too many messages to count
   */
  notVerified?: number
}
export interface GetBadgeInput {}
export interface GetBadgeResult {
  badge: number
}
export interface GetBadgesByRoomTagsInput {
  /**
   * Without any, all tags
   */
  tags?: string[]
}
export interface GetBadgesByRoomTagsResult {
  totalBadge: number
  data: {
    [k: string]: number
  }
}
export interface MuteRoomInput {
  /**
   * Room ID
   */
  room: string
}
export interface User {
  /**
   * User ID
   */
  _id: string
  /**
   * User ID
   */
  id: string
  appID: string
  nickname: string
  description: string
  email?: string
  avatarUrl: string
  /**
   * Last connection address; absent before the first connection
   */
  address?: Address
  userAgent?: string
  isRobot: boolean
  /**
   * Commands of a robot, `/name`
   */
  commands?: {
    name: string
    description: string
  }[]
  /**
   * IDs of the rooms that this user muted
   *
   * Items: Room ID
   */
  mute: string[]
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  updatedAt: string
  /**
   * ISO-8601 time
   */
  lastJoinOrCreateRoomTime?: string
  /**
   * 0 when the user never logged in
   */
  lastLoginTimeMS: number
  __v: number
}
export interface Address {
  /**
   * Left out where it is not known: behind a proxy that does not say it
   */
  port?: number
  family: string
  address: string
}
export interface MuteUserInput {
  /**
   * User ID
   */
  uid: string
  /**
   * Room ID
   */
  room: string
}
export interface AdminUser {
  /**
   * User ID
   */
  _id: string
  /**
   * User ID
   */
  id: string
  appID: string
  nickname: string
  description: string
  email?: string
  avatarUrl: string
  /**
   * Last connection address; absent before the first connection
   */
  address?: Address
  userAgent?: string
  isRobot: boolean
  /**
   * Commands of a robot, `/name`
   */
  commands?: {
    name: string
    description: string
  }[]
  /**
   * IDs of the rooms that this user muted
   *
   * Items: Room ID
   */
  mute: string[]
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  updatedAt: string
  /**
   * ISO-8601 time
   */
  lastJoinOrCreateRoomTime?: string
  /**
   * 0 when the user never logged in
   */
  lastLoginTimeMS: number
  __v: number
  isAdmin: boolean
  /**
   * While the user is banned from the app
   */
  ban?: {
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    atMS: number
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    untilMS?: number
  }
}
export interface SetRoomPrefInput {
  /**
   * Room ID
   */
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
  /**
   * Room ID
   */
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
  /**
   * Room ID
   */
  room: string
}
export interface UnmuteUserInput {
  /**
   * User ID
   */
  uid: string
  /**
   * Room ID
   */
  room: string
  /**
   * Tolerated, without effect
   */
  limit?: string
  /**
   * Tolerated, without effect
   */
  skip?: string
}
export interface GetChangesInput {
  /**
   * The cursor of the last answer, or `serverTimeMS` of a socket; 0 for the first time
   */
  since: string
  /**
   * Rooms at most
   */
  limit?: number
}
export interface Invitation {
  _id: string
  /**
   * The inviting user; empty for the API key in a room without members
   */
  inviter: string
  /**
   * User ID
   */
  invitee: string
  /**
   * Room ID
   */
  room: string
  /**
   * Name of the room; absent in a declined invitation
   */
  roomName?: string
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  updatedAt: string
}
export interface GetChangesResult {
  /**
   * The rooms that changed
   */
  rooms: {
    /**
     * The room as GET /rooms/{id} has it: with unread, preferences and last message
     */
    room: Room
    /**
     * seq of the last message
     */
    seq: number
    /**
     * Whether messages came, or were changed or deleted: fetch them
     */
    messages: boolean
    /**
     * The threads, each by its root, in which messages came, or were changed or deleted, or in which the caller has read: fetch them
     *
     * Items: Message ID
     */
    threads: string[]
    /**
     * The read markers that moved, each as it is last
     */
    lastRead: {
      /**
       * User ID
       */
      memberID: string
      /**
       * Message ID
       */
      messageID: string
    }[]
  }[]
  /**
   * Rooms that the user is in no more, or that were deleted
   *
   * Items: Room ID
   */
  removed: string[]
  /**
   * Those that came and are open still
   */
  invitations: Invitation[]
  /**
   * The personal preferences that were set, as they are now
   */
  prefs: {
    [k: string]: unknown
  }
  /**
   * Keys of personal preferences that were deleted
   */
  deletedPrefs: string[]
  /**
   * The next `since`; when `complete`, also for `auth2`, as a number
   */
  cursor: string
  /**
   * False: there is more
   */
  complete: boolean
}
export interface AddMembersInput {
  /**
   * Room ID
   */
  id: string
  /**
   * User IDs; the ID of a user group stands for its members
   *
   * Items: User ID
   */
  invitees: string[]
  /**
   * Also write a system message about it
   */
  systemMessage?: boolean
  invitationRequired?: boolean
}
export interface AddMembersResult {
  /**
   * Room ID
   */
  _id: string
  /**
   * Room ID
   */
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
  /**
   * 1 active, 0 frozen
   */
  status: number
  /**
   * The first 50 members
   */
  members: Sender[]
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdTimeMS: number
  unread?: number
  muted?: boolean
  lastMessage?: Message
  pref?: RoomPref
  /**
   * NotificationsOfRoom of the caller; absent where they set none
   */
  notifications?: {
    /**
     * Absent: the next wider level counts
     */
    level?: 'all' | 'mentions' | 'none'
    /**
     * Levels of single message types, which come before `level`
     */
    types?: {
      messageType: string
      level: 'all' | 'mentions' | 'none'
    }[]
    /**
     * Until then only messages that name the user are pushed
     */
    muteUntilMS?: number
  }
  memberCount: number
  /**
   * User ID
   */
  owner?: string
  /**
   * Items: User ID
   */
  managers: string[]
  /**
   * 0 closed to joining and invitations, 1 open
   */
  opening: number
  extParams: {
    [k: string]: unknown
  }
  /**
   * Seconds between two messages of a member; absent for none
   */
  slowModeS?: number
  /**
   * Seconds until a message without expiresInS of its own expires; absent: never
   */
  expiresInS?: number
  /**
   * Days after which its messages go; absent: as the configuration `retention` says
   */
  retentionDays?: number
  invitations?: Invitation[]
}
export interface DeclineInvitationInput {
  /**
   * Room ID
   */
  id: string
}
export interface JoinRoomInput {
  /**
   * Room ID
   */
  id: string
  /**
   * Also write a system message about it
   */
  systemMessage?: boolean
}
export interface ListInvitationsInput {
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListInvitationsResult {
  data: Invitation[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface ListMembersInput {
  /**
   * Room ID
   */
  id: string
  skip?: number
  limit?: number
}
export interface ListMembersResult {
  totalCount: number
  data: {
    /**
     * User ID
     */
    _id: string
    /**
     * User ID
     */
    id: string
    nickname: string
    description: string
    avatarUrl: string
    isRobot?: boolean
    /**
     * 0 when the user never logged in
     */
    lastLoginTimeMS: number
    /**
     * `seq` of the last message that they have read, or that was there when they joined
     */
    readSeq: number
    /**
     * `seq` of the last message that has reached them, as far as they said
     */
    deliveredSeq: number
  }[]
}
export interface RemoveMembersInput {
  /**
   * Room ID
   */
  id: string
  /**
   * User IDs; a user group stands for its members in the room
   *
   * Items: User ID
   */
  members: string[]
  /**
   * Also write a system message about it
   */
  systemMessage?: boolean
}
export interface SetMemberRoleInput {
  /**
   * Room ID
   */
  id: string
  /**
   * User ID
   */
  client: string
  property: 'role'
  value: 'admin' | 'member'
}
export interface EraseUserInput {
  /**
   * User ID
   */
  client_id: string
  /**
   * Their messages in all rooms and threads: kept, redacted as if recalled, or deleted for all
   */
  content?: 'keep' | 'redact' | 'delete'
}
export interface ListUsersInput {
  /**
   * JSON filter in document-database query syntax
   */
  q?: string
  limit?: number
  skip?: number
}
export interface ListUsersResult {
  totalCount: number
  data: AdminUser[]
}
export interface SaveUserInput {
  /**
   * User ID
   */
  _id: string
  nickname?: string
  description?: string
  email?: string
  avatarUrl?: string
  isRobot?: boolean
  /**
   * Platform admin
   */
  isAdmin?: boolean
  /**
   * Commands of a robot, `/name`, for users with isRobot
   */
  commands?: {
    name: string
    description?: string
  }[]
  /**
   * true: the service generates a token
   */
  issueAccessToken?: boolean
  /**
   * With issueAccessToken true: the token is for this device, and replaces that of this device alone
   */
  deviceId?: string
  /**
   * Token generated by the integrator
   */
  token?: string
  /**
   * ISO-8601 expiry of a supplied token
   */
  expirationDate?: string
}
export interface SavedUser {
  /**
   * User ID
   */
  _id: string
  /**
   * User ID
   */
  id: string
  appID: string
  nickname: string
  description: string
  email?: string
  avatarUrl: string
  /**
   * Last connection address; absent before the first connection
   */
  address?: Address
  userAgent?: string
  isRobot: boolean
  /**
   * Commands of a robot, `/name`
   */
  commands?: {
    name: string
    description: string
  }[]
  /**
   * IDs of the rooms that this user muted
   *
   * Items: Room ID
   */
  mute: string[]
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  updatedAt: string
  /**
   * ISO-8601 time
   */
  lastJoinOrCreateRoomTime?: string
  /**
   * 0 when the user never logged in
   */
  lastLoginTimeMS: number
  __v: number
  isAdmin: boolean
  /**
   * While the user is banned from the app
   */
  ban?: {
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    atMS: number
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    untilMS?: number
  }
  token?: string
  /**
   * ISO-8601 time
   */
  expirationDate?: string
}
export interface SaveUsersInput {
  data: {
    /**
     * User ID
     */
    _id: string
    nickname?: string
    description?: string
    email?: string
    avatarUrl?: string
    isRobot?: boolean
    /**
     * Platform admin
     */
    isAdmin?: boolean
    /**
     * Commands of a robot, `/name`, for users with isRobot
     */
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
  /**
   * Only members of this room
   */
  room?: string
  limit?: number
}
export interface SearchUsersResult {
  data: Sender[]
}
export interface StartChatInput {
  /**
   * User IDs, without the caller
   *
   * Items: User ID
   */
  members: string[]
  /**
   * Of a group
   */
  name?: string
}
export interface GetMeInput {}
export interface ListConnectionsInput {
  /**
   * User ID
   */
  client_id: string
}
export interface ListConnectionsResult {
  data: {
    /**
     * As in auth2; without one there, the ID of the socket
     */
    deviceId: string
    node: string
    transport: 'websocket' | 'polling'
    /**
     * When it authenticated
     */
    sinceMS: number
    /**
     * When something was last heard of it, a heartbeat at least
     */
    lastSeenMS: number
    userAgent: string
    /**
     * `auth.clientVersion` of the connection, if the client gave one
     */
    clientVersion?: string
  }[]
  /**
   * Nodes that did not answer in time
   */
  silentNodes: string[]
}
export interface SubscribeInput {
  type: 'ios' | 'fcm' | 'web' | 'hms' | 'relay'
  /**
   * Device push token; of a browser (`web`), its PushSubscription as JSON text
   */
  token: string
  /**
   * The same as in auth2, so that an online device gets no push
   */
  deviceId: string
  /**
   * Of the texts that the app has set for pushes, such as de-AT
   */
  language?: string
}
export interface SubscribeResult {
  type: 'ios' | 'fcm' | 'web' | 'hms' | 'relay'
  deviceId: string
}
export interface UnsubscribeInput {
  /**
   * A registered device
   */
  deviceId?: string
  /**
   * Device push token; of a browser (`web`), its PushSubscription as JSON text
   */
  token?: string
}
export interface UnsubscribeResult {
  removed: number
}
export interface WebPushKeyInput {}
export interface WebPushKeyResult {
  /**
   * P-256, uncompressed, base64url
   */
  publicKey: string
}
export interface DeleteGroupInput {
  /**
   * User group ID
   */
  id: string
}
export interface DeleteGroupResult {}
export interface ListGroupsInput {
  limit?: number
  skip?: number
}
export interface UserGroup {
  /**
   * User ID
   */
  _id: string
  nickname: string
  avatarUrl: string
  /**
   * Items: User ID
   */
  members: string[]
}
export interface ListGroupsResult {
  totalCount: number
  data: UserGroup[]
}
export interface SaveGroupInput {
  /**
   * Made when absent
   */
  _id?: string
  nickname: string
  avatarUrl?: string
  /**
   * Items: User ID
   */
  members?: string[]
}
export interface GetMyNotificationsInput {}
export interface UserNotifications {
  /**
   * Absent: the next wider level counts
   */
  level?: 'all' | 'mentions' | 'none'
  /**
   * Levels of single message types, which come before `level`
   */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /**
   * Until then only messages that name the user are pushed
   */
  muteUntilMS?: number
  doNotDisturb?: {
    timeZone: string
    times: {
      /**
       * 1 Monday to 7 Sunday
       */
      days: number[]
      from: string
      /**
       * Not after `from`: on the next day
       */
      to: string
    }[]
  }
}
export interface GetMyRoomNotificationsInput {
  /**
   * Room ID
   */
  room: string
}
export interface NotificationsOfRoom {
  /**
   * Absent: the next wider level counts
   */
  level?: 'all' | 'mentions' | 'none'
  /**
   * Levels of single message types, which come before `level`
   */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /**
   * Until then only messages that name the user are pushed
   */
  muteUntilMS?: number
}
export interface GetMyThreadNotificationsInput {
  /**
   * The root of the thread, or one of its messages
   */
  id: string
}
export interface ThreadNotifications {
  /**
   * Absent: the next wider level counts
   */
  level?: 'all' | 'mentions' | 'none'
  /**
   * Until then only messages that name the user are pushed
   */
  muteUntilMS?: number
}
export interface GetNotificationsInput {
  /**
   * User ID
   */
  uid: string
}
export interface GetRoomNotificationsInput {
  /**
   * User ID
   */
  uid: string
  /**
   * Room ID
   */
  room: string
}
export interface SetMyNotificationsInput {
  /**
   * Absent: the next wider level counts
   */
  level?: 'all' | 'mentions' | 'none'
  /**
   * Levels of single message types, which come before `level`
   */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /**
   * Until then only messages that name the user are pushed
   */
  muteUntilMS?: number
  doNotDisturb?: {
    timeZone: string
    times: {
      /**
       * 1 Monday to 7 Sunday
       */
      days: number[]
      from: string
      /**
       * Not after `from`: on the next day
       */
      to: string
    }[]
  }
}
export interface SetMyRoomNotificationsInput {
  /**
   * Room ID
   */
  room: string
  /**
   * Absent: the next wider level counts
   */
  level?: 'all' | 'mentions' | 'none'
  /**
   * Levels of single message types, which come before `level`
   */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /**
   * Until then only messages that name the user are pushed
   */
  muteUntilMS?: number
}
export interface SetMyThreadNotificationsInput {
  /**
   * The root of the thread, or one of its messages
   */
  id: string
  /**
   * Absent: the next wider level counts
   */
  level?: 'all' | 'mentions' | 'none'
  /**
   * Until then only messages that name the user are pushed
   */
  muteUntilMS?: number
}
export interface SetNotificationsInput {
  /**
   * User ID
   */
  uid: string
  /**
   * Absent: the next wider level counts
   */
  level?: 'all' | 'mentions' | 'none'
  /**
   * Levels of single message types, which come before `level`
   */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /**
   * Until then only messages that name the user are pushed
   */
  muteUntilMS?: number
  doNotDisturb?: {
    timeZone: string
    times: {
      /**
       * 1 Monday to 7 Sunday
       */
      days: number[]
      from: string
      /**
       * Not after `from`: on the next day
       */
      to: string
    }[]
  }
}
export interface SetRoomNotificationsInput {
  /**
   * User ID
   */
  uid: string
  /**
   * Room ID
   */
  room: string
  /**
   * Absent: the next wider level counts
   */
  level?: 'all' | 'mentions' | 'none'
  /**
   * Levels of single message types, which come before `level`
   */
  types?: {
    messageType: string
    level: 'all' | 'mentions' | 'none'
  }[]
  /**
   * Until then only messages that name the user are pushed
   */
  muteUntilMS?: number
}
export interface DeleteMyPrefInput {
  /**
   * A key that was set
   */
  key: string
}
export interface DeleteMyPrefResult {}
export interface ListMyPrefsInput {
  skip?: number
  /**
   * All by default
   */
  limit?: number
}
/**
 * Keys with any JSON as value
 */
export interface ListMyPrefsResult {
  [k: string]: unknown
}
export interface SetMyPrefInput {
  key: string
  /**
   * Any JSON of at most 16 KiB
   */
  data: unknown
}
export interface SetMyPrefResult {
  key: string
  data: unknown
}
export interface GetPresenceInput {
  /**
   * User IDs, the parameter repeated for each, at most 500
   */
  clients: string | string[]
}
export interface GetPresenceResult {
  clients: {
    /**
     * User ID
     */
    client: string
    /**
     * online: a device is connected and not away. away: all that are connected are. unknown: Redis cannot be asked now
     */
    state: 'online' | 'away' | 'offline' | 'unknown'
    /**
     * Whether a device is connected: online or away. Absent while unknown
     */
    online?: boolean
    /**
     * Whether the state is away. Absent while unknown
     */
    away?: boolean
    /**
     * Only when offline: when the last device was connected. Absent for hidden users, and for those who never connected
     */
    lastSeenMS?: number
  }[]
}
export interface BindTokenInput {
  /**
   * User ID
   */
  client_id: string
  token: string
  /**
   * ISO-8601 expiry of a supplied token
   */
  expirationDate: string
}
export interface BindTokenResult {
  /**
   * User ID
   */
  _id: string
  token: string
  /**
   * ISO-8601 time
   */
  expirationDate: string
}
export interface EndMyTokenInput {
  id: string
}
export interface EndMyTokenResult {}
export interface EndTokenInput {
  /**
   * User ID
   */
  client_id: string
  id: string
}
export interface EndTokenResult {}
export interface ListMyTokensInput {}
export interface UserToken {
  /**
   * The beginning of the SHA-256 digest of the token
   */
  id: string
  /**
   * The device that it was issued for, or that its issuer names
   */
  deviceId?: string
  /**
   * Of a login of the app’s own
   */
  isOwnLogin: boolean
  /**
   * Its ID at the issuer
   */
  jti?: string
  /**
   * When it was issued, or presented first
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  expirationDate: string
  /**
   * Of a request over HTTP, noted once an hour
   */
  lastUsedTime?: string
  /**
   * In GET /me/tokens: the token of the call
   */
  isCurrent?: boolean
}
export interface ListMyTokensResult {
  /**
   * Those in force, the latest first; at most 50
   */
  data: UserToken[]
}
export interface ListTokensInput {
  /**
   * User ID
   */
  client_id: string
}
export interface ListTokensResult {
  /**
   * Those in force, the latest first; at most 50
   */
  data: UserToken[]
}
export interface RenewTokenInput {}
export interface RenewTokenResult {
  token: string
  /**
   * ISO-8601 time
   */
  expirationDate: string
}
export interface RevokeTokensInput {
  /**
   * User ID
   */
  client_id: string
  /**
   * Without it all tokens are removed
   */
  token?: string
  /**
   * Instead: the token of the app’s own login with this ID, presented or not
   */
  jti?: string
  /**
   * Instead: those of this device, and those of the app’s own login that name it and were issued until now
   */
  deviceId?: string
}
export interface RevokeTokensResult {
  success: boolean
  message: string
  revokedTokens: number
}
export interface AddKeyInput {
  /**
   * Unique among the keys in force, such as the server that uses it
   */
  name: string
  /**
   * `all` is every scope but `platform`, also those of later releases; by default `all`, or those of the calling key
   */
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
  /**
   * The key ends by itself then
   */
  expiresAt?: string
  /**
   * Networks from which the key may be used; absent: all
   */
  addresses?: string[]
  /**
   * Requests in a minute; absent: as PARLEY_GATEWAY_RATE_PER_API_KEY
   */
  ratePerMinute?: number
}
export interface AddKeyResult {
  /**
   * The beginning of the SHA-256 digest of the key
   */
  id: string
  /**
   * Empty for a key from before names existed
   */
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
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * To the minute
   */
  lastUsedAt?: string
  /**
   * ISO-8601 time
   */
  expiresAt?: string
  addresses?: string[]
  ratePerMinute?: number
  /**
   * Only where ended keys are listed too
   */
  revokedAt?: string
  /**
   * The key; it cannot be read again
   */
  apiKey: string
}
export interface ListKeysInput {
  /**
   * Revoked and expired keys too
   */
  ended?: 'true' | 'false'
}
export interface ApiKey {
  /**
   * The beginning of the SHA-256 digest of the key
   */
  id: string
  /**
   * Empty for a key from before names existed
   */
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
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * To the minute
   */
  lastUsedAt?: string
  /**
   * ISO-8601 time
   */
  expiresAt?: string
  addresses?: string[]
  ratePerMinute?: number
  /**
   * Only where ended keys are listed too
   */
  revokedAt?: string
}
export interface ListKeysResult {
  data: ApiKey[]
}
export interface RevokeKeyInput {
  /**
   * The beginning of the SHA-256 digest of the key
   */
  id: string
}
export interface InspectBansInput {
  /**
   * Room ID
   */
  id: string
  skip?: number
  /**
   * All by default
   */
  limit?: number
}
export interface Ban {
  appID: string
  blockee: {
    /**
     * User ID
     */
    _id: string
    /**
     * User ID
     */
    id: string
    nickname: string
    avatarUrl: string
    lastLoginTimeMS: number
  }
  /**
   * The banning user; empty for the API key
   */
  blocker: string
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * Last change; on unban the unban time
   */
  updatedAt: string
  /**
   * Room ID
   */
  room: string
  /**
   * When it ends; absent in one without end
   */
  untilMS?: number
}
export interface InspectMembersInput {
  /**
   * Room ID
   */
  id: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface InspectMembersResult {
  totalCount: number
  data: {
    /**
     * User ID
     */
    _id: string
    /**
     * User ID
     */
    id: string
    nickname: string
    description: string
    avatarUrl: string
    isRobot?: boolean
    /**
     * 0 when the user never logged in
     */
    lastLoginTimeMS: number
    role: 'owner' | 'manager' | 'member'
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    joinedAtMS: number
    readSeq: number
    deliveredSeq: number
    /**
     * The member gets no pushes of the room
     */
    muted: boolean
    /**
     * Banned in the room, or in a direct room blocked by the other
     */
    blocked?: {
      /**
       * Milliseconds since 1970-01-01 UTC
       */
      untilMS?: number
    }
  }[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface InspectMessagesInput {
  /**
   * Room ID
   */
  id: string
  /**
   * Max messages returned
   */
  limit?: number
  /**
   * Messages before this message, where it stands now
   */
  beforeMessage?: string
  /**
   * Messages after this message, where it stands now
   */
  afterMessage?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt' | 'messageTime'
  /**
   * Shows of deleted messages what is still kept: the content of each goes within minutes
   */
  includeDeleted?: 'true' | 'false'
}
export interface InspectMessagesResult {
  totalCount: number
  /**
   * `seq` of the latest message; 0 without one
   */
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
  /**
   * Room ID
   */
  id: string
  limit?: number
  /**
   * `beforeSeq` of the page before
   */
  beforeSeq?: number
}
export interface InspectPinsResult {
  data: Message[]
  /**
   * Of the next page; absent on the last one
   */
  beforeSeq?: number
}
export interface InspectRoomInput {
  /**
   * Room ID
   */
  id: string
}
export interface AdminRoom {
  /**
   * Room ID
   */
  _id: string
  /**
   * Room ID
   */
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
  /**
   * 1 active, 0 frozen
   */
  status: number
  /**
   * The first 50 members
   */
  members: Sender[]
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdTimeMS: number
  lastMessage?: Message
  /**
   * NotificationsOfRoom of the caller; absent where they set none
   */
  notifications?: {
    /**
     * Absent: the next wider level counts
     */
    level?: 'all' | 'mentions' | 'none'
    /**
     * Levels of single message types, which come before `level`
     */
    types?: {
      messageType: string
      level: 'all' | 'mentions' | 'none'
    }[]
    /**
     * Until then only messages that name the user are pushed
     */
    muteUntilMS?: number
  }
  memberCount: number
  /**
   * User ID
   */
  owner?: string
  /**
   * Items: User ID
   */
  managers: string[]
  /**
   * 0 closed to joining and invitations, 1 open
   */
  opening: number
  extParams: {
    [k: string]: unknown
  }
  /**
   * Seconds between two messages of a member; absent for none
   */
  slowModeS?: number
  /**
   * Seconds until a message without expiresInS of its own expires; absent: never
   */
  expiresInS?: number
  /**
   * Days after which its messages go; absent: as the configuration `retention` says
   */
  retentionDays?: number
  /**
   * All messages of the room, deleted ones included
   */
  messageCount: number
  /**
   * Absent before the first message
   */
  lastMessageTimeMS?: number
}
export interface InspectRoomsOfUserInput {
  /**
   * User ID
   */
  client_id: string
  skip?: number
  limit?: number
}
export interface InspectRoomsOfUserResult {
  totalCount: number
  data: {
    /**
     * Room ID
     */
    _id: string
    /**
     * Room ID
     */
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
    /**
     * 1 active, 0 frozen
     */
    status: number
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    createdTimeMS: number
    /**
     * NotificationsOfRoom of the caller; absent where they set none
     */
    notifications?: {
      /**
       * Absent: the next wider level counts
       */
      level?: 'all' | 'mentions' | 'none'
      /**
       * Levels of single message types, which come before `level`
       */
      types?: {
        messageType: string
        level: 'all' | 'mentions' | 'none'
      }[]
      /**
       * Until then only messages that name the user are pushed
       */
      muteUntilMS?: number
    }
    memberCount: number
    /**
     * User ID
     */
    owner?: string
    /**
     * Items: User ID
     */
    managers: string[]
    /**
     * 0 closed to joining and invitations, 1 open
     */
    opening: number
    extParams: {
      [k: string]: unknown
    }
    /**
     * Seconds between two messages of a member; absent for none
     */
    slowModeS?: number
    /**
     * Seconds until a message without expiresInS of its own expires; absent: never
     */
    expiresInS?: number
    /**
     * Days after which its messages go; absent: as the configuration `retention` says
     */
    retentionDays?: number
    /**
     * All messages of the room, deleted ones included
     */
    messageCount: number
    /**
     * Absent before the first message
     */
    lastMessageTimeMS?: number
    role: 'owner' | 'manager' | 'member'
    unread: number
    muted: boolean
  }[]
}
export interface InspectThreadInput {
  /**
   * Message ID
   */
  id: string
  /**
   * Max messages returned
   */
  limit?: number
  /**
   * Messages before this message, where it stands now
   */
  beforeMessage?: string
  /**
   * Messages after this message, where it stands now
   */
  afterMessage?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  afterTime?: string
  timeRangeField?: 'updatedAt' | 'createdAt' | 'messageTime'
}
export interface InspectThreadResult {
  /**
   * The message that the thread is about
   */
  root: Message
  /**
   * All messages of the thread
   */
  totalCount: number
  /**
   * `seq` of the latest message; 0 without one
   */
  latestSeq: number
  /**
   * Whether the caller sent the root or a message of the thread
   */
  takesPart: boolean
  /**
   * Messages of the thread that the caller has not read; 0 outside of it
   */
  unread: number
  data: Message[]
  /**
   * IDs of the messages of this page that the caller deleted for themselves, the root among them
   */
  userDeletedIDs: string[]
}
export interface ListAllRoomsInput {
  /**
   * JSON filter in document-database query syntax
   */
  q?: string
  /**
   * Rooms whose ID, whose name or a word of whose name begins with it; by the ID first, then in the order of names, without pages
   */
  search?: string
  /**
   * One of createdTime, lastMessageTime, name, memberCount; with `-` descending
   */
  sort?: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListedRoom {
  /**
   * Room ID
   */
  _id: string
  /**
   * Room ID
   */
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
  /**
   * 1 active, 0 frozen
   */
  status: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdTimeMS: number
  /**
   * NotificationsOfRoom of the caller; absent where they set none
   */
  notifications?: {
    /**
     * Absent: the next wider level counts
     */
    level?: 'all' | 'mentions' | 'none'
    /**
     * Levels of single message types, which come before `level`
     */
    types?: {
      messageType: string
      level: 'all' | 'mentions' | 'none'
    }[]
    /**
     * Until then only messages that name the user are pushed
     */
    muteUntilMS?: number
  }
  memberCount: number
  /**
   * User ID
   */
  owner?: string
  /**
   * Items: User ID
   */
  managers: string[]
  /**
   * 0 closed to joining and invitations, 1 open
   */
  opening: number
  extParams: {
    [k: string]: unknown
  }
  /**
   * Seconds between two messages of a member; absent for none
   */
  slowModeS?: number
  /**
   * Seconds until a message without expiresInS of its own expires; absent: never
   */
  expiresInS?: number
  /**
   * Days after which its messages go; absent: as the configuration `retention` says
   */
  retentionDays?: number
  /**
   * All messages of the room, deleted ones included
   */
  messageCount: number
  /**
   * Absent before the first message
   */
  lastMessageTimeMS?: number
}
export interface ListAllRoomsResult {
  /**
   * Rooms that match, at most 10,000; with `search` those of the page
   */
  totalCount: number
  /**
   * False where more match
   */
  totalIsExact: boolean
  data: ListedRoom[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface InspectUserInput {
  /**
   * User ID
   */
  client_id: string
}
export interface Block {
  appID: string
  blockee: {
    /**
     * User ID
     */
    _id: string
    /**
     * User ID
     */
    id: string
    nickname: string
    avatarUrl: string
    lastLoginTimeMS: number
  }
  /**
   * The banning user; empty for the API key
   */
  blocker: string
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * Last change; on unban the unban time
   */
  updatedAt: string
}
export interface InspectUserResult {
  profile: AdminUser
  roomCount: number
  devices: {
    deviceId: string
    type: 'ios' | 'fcm' | 'web' | 'hms' | 'relay'
    fingerprint: string
    /**
     * The APNs topic
     */
    topic?: string
    /**
     * ISO-8601 time
     */
    updatedAt: string
  }[]
  tokens: {
    fingerprint: string
    /**
     * ISO-8601 time
     */
    createdAt: string
    /**
     * ISO-8601 time
     */
    expirationDate: string
    /**
     * Of a request over HTTP, noted once an hour; sockets are in `connections`
     */
    lastUsedTime?: string
    /**
     * Expired ones stay known for 30 days
     */
    isInForce: boolean
  }[]
  connections: {
    data: {
      /**
       * As in auth2; without one there, the ID of the socket
       */
      deviceId: string
      node: string
      transport: 'websocket' | 'polling'
      /**
       * When it authenticated
       */
      sinceMS: number
      /**
       * When something was last heard of it, a heartbeat at least
       */
      lastSeenMS: number
      userAgent: string
      /**
       * `auth.clientVersion` of the connection, if the client gave one
       */
      clientVersion?: string
    }[]
    /**
     * Nodes that did not answer in time
     */
    silentNodes: string[]
  }
  /**
   * In rooms, the latest first; the first 100
   */
  bans: Ban[]
  /**
   * Users that they block; the first 100
   */
  blocks: Block[]
}
export interface ListAuditInput {
  /**
   * Such as `key:9f86d081884c` or `command:key add`
   */
  actor?: string
  /**
   * `kind:ID`, such as `room:demo-room`
   */
  subject?: string
  /**
   * Such as `updateRoom`
   */
  action?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  since?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  until?: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface AuditEntry {
  id: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  atMS: number
  /**
   * `key:` and the ID of an API key, `operator:` and the ID of an operator, `command:` and the command, or `job:` and the ID of a job
   */
  actor: string
  /**
   * The name of the key, the e-mail of the operator, or the user on the machine of the command
   */
  actorName?: string
  /**
   * Of the caller; of a command the name of the machine
   */
  address?: string
  /**
   * The operationId, or the command
   */
  action: string
  subject: {
    kind: 'app' | 'call' | 'config' | 'group' | 'key' | 'message' | 'operator' | 'report' | 'room' | 'user'
    id: string
  }
  /**
   * The changed values before, without secrets and texts
   */
  before?: unknown
  after?: unknown
  /**
   * X-Request-ID of the call
   */
  request?: string
}
export interface ListAuditResult {
  data: AuditEntry[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface SearchAllMessagesInput {
  /**
   * Every word, or words that begin with it
   */
  keyword?: string
  /**
   * Room ID
   */
  room?: string
  /**
   * User ID
   */
  sender?: string
  messageType?: string
  /**
   * Only messages sent later
   */
  afterTimeMS?: number
  /**
   * Only messages sent earlier
   */
  beforeTimeMS?: number
  limit?: number
  /**
   * `cursor` of the page before, with the same filters
   */
  cursor?: string
}
export interface SearchAllMessagesResult {
  data: {
    /**
     * Message ID
     */
    _id: string
    /**
     * User ID
     */
    sender: string
    messageType: string
    /**
     * The first 200 characters of its text, or of the `text` of its content; empty where there is none, and when it was deleted or recalled
     */
    text: string
    isDeleted: boolean
    /**
     * Room ID
     */
    room: string
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    messageTimeMS: number
    /**
     * Message ID
     */
    threadOf?: string
  }[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface ReadTimelineInput {
  /**
   * User ID
   */
  user?: string
  /**
   * Only this device of `user`, and what is of no device
   */
  device?: string
  /**
   * Room ID
   */
  room?: string
  /**
   * From this time on; 7 days ago by default
   */
  from?: string
  /**
   * Up to this time; now by default
   */
  to?: string
  /**
   * Only these: message, delivery, push, call, connection, refusal, read, membership, token, ban, report, audit; separated by commas
   */
  kinds?: string
  /**
   * Entries of a page, beside the pushes and deliveries of its messages
   */
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface TimelineEntry {
  /**
   * Milliseconds since 1970-01-01 UTC
   */
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
  /**
   * A name of the happening that stays the same, such as `PUSH_CONNECTED`
   */
  code: string
  subject: {
    kind: 'message' | 'user' | 'room' | 'device' | 'call' | 'token' | 'report' | 'other'
    id: string
  }
  /**
   * The process that did it, where that is known
   */
  node?: string
  /**
   * An English sentence without texts of messages
   */
  reason: string
  /**
   * The parts of `reason`, to be worded with `code`
   */
  about: {
    /**
     * The one that it happened to
     */
    user?: string
    /**
     * The one who did it; absent: an API key, or the server
     */
    by?: string
    messageType?: string
    seq?: number
    changes?: ('edited' | 'recalled' | 'deleted')[]
    /**
     * Of a message, for `user`
     */
    state?: 'read' | 'arrived' | 'not reported' | 'no member'
    sockets?: number
    devices?: string[]
    network?: string
    tokenRemoved?: boolean
    tries?: number
    /**
     * A code, or what another server said
     */
    error?: string
    /**
     * Beside `error`: the text of the refusal
     */
    detail?: string
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    nextTryAtMS?: number
    /**
     * Of a call to the webhook of a room; absent: to PUSH_GENERIC
     */
    event?: string
    status?: number
    durationMS?: number
    transport?: string
    /**
     * The emit or the operation
     */
    call?: string
    address?: string
    readSeq?: number
    deliveredSeq?: number
    /**
     * Absent: without an end
     */
    untilMS?: number
    count?: number
    decision?: string
    actor?: string
    action?: string
  }
  refs: {
    message?: string
    room?: string
    /**
     * The other user: the sender, the reporter, the one who banned
     */
    user?: string
    device?: string
    /**
     * The webhook-id
     */
    call?: string
    report?: string
    /**
     * The fingerprint
     */
    token?: string
    /**
     * ID of the entry of the audit log
     */
    audit?: string
    /**
     * Of the audit log
     */
    actor?: string
    /**
     * X-Request-ID, or the ID of an emit
     */
    request?: string
  }
}
export interface ReadTimelineResult {
  data: TimelineEntry[]
  /**
   * Of the next page; absent on the last one
   */
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
  /**
   * Processes that did not answer: what they remember is missing
   */
  silentNodes: string[]
  /**
   * Without `room`: rooms of the user with messages in the time, beyond the 100 with the latest
   */
  roomsLeftOut: number
}
export interface EndSessionInput {
  /**
   * The beginning of a digest of the session
   */
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
    /**
     * ID of the operator
     */
    id: string
    email: string
    name: string
    hasPassword: boolean
    hasTotp: boolean
    /**
     * How many are left
     */
    recoveryCodes: number
  }
  /**
   * At most 1,000, by ID. The role for an app itself goes before that for all. `all` is every scope but `platform`
   */
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
  /**
   * Whether the operator is owner of every app
   */
  isOwnerOfAll: boolean
  /**
   * Send it as Parley-CSRF with every request but GET
   */
  csrfToken: string
  /**
   * The session ends then at the latest
   */
  expiresAt: string
}
export interface GetSignInMethodsInput {}
export interface GetSignInMethodsResult {
  password: boolean
  /**
   * Whether GET /operator/oidc leads to an identity provider
   */
  sso: boolean
}
export interface ListSessionsInput {}
export interface ListedOperatorSession {
  /**
   * The beginning of a digest of the session
   */
  id: string
  isCurrent: boolean
  /**
   * How the operator signed in
   */
  by: 'password' | 'link' | 'sso' | 'passkey'
  /**
   * From which the operator signed in
   */
  address: string
  userAgent: string
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * To the minute
   */
  lastSeenAt: string
  /**
   * ISO-8601 time
   */
  expiresAt: string
}
export interface ListSessionsResult {
  data: ListedOperatorSession[]
}
export interface SignInInput {
  /**
   * E-mail address, by which the operator signs in
   */
  email: string
  password: string
  /**
   * The code of the operator’s authenticator, where they have set one up, or a recovery code
   */
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
  /**
   * The password so far; without one, a session by a link or SSO suffices
   */
  current?: string
  password: string
}
export interface RemoveTotpInput {
  /**
   * A code of the authenticator, or a recovery code
   */
  code: string
}
export interface RemoveTotpResult {
  isOn: boolean
}
export interface RenewRecoveryCodesInput {
  /**
   * A code of the authenticator
   */
  code: string
}
export interface RenewRecoveryCodesResult {
  /**
   * Ten, each for one sign-in in place of a code; not shown again
   */
  recoveryCodes: string[]
}
export interface SetUpTotpInput {
  code?: string
}
export interface SetUpTotpResult {
  isOn: boolean
  /**
   * Base32; only while it is being set up
   */
  secret?: string
  /**
   * otpauth: address, for a QR code
   */
  url?: string
  /**
   * Ten, each for one sign-in in place of a code; not shown again
   */
  recoveryCodes?: string[]
}
export interface AddPasskeyInput {
  name: string
  /**
   * As `toJSON()` of the PublicKeyCredential gives it
   */
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
  /**
   * ID of the passkey
   */
  id: string
  name: string
  /**
   * Whether it is kept by more than one device
   */
  isSynced: boolean
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  lastUsedAt?: string
}
export interface ListPasskeysInput {}
export interface ListPasskeysResult {
  data: Passkey[]
}
export interface RemovePasskeyInput {
  /**
   * ID of the passkey
   */
  id: string
}
export interface RemovePasskeyResult {}
export interface RenamePasskeyInput {
  /**
   * ID of the passkey
   */
  id: string
  name: string
}
export interface SignInByPasskeyInput {
  /**
   * As `toJSON()` of the PublicKeyCredential gives it
   */
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
  /**
   * For navigator.credentials, in the JSON form of WebAuthn; the challenge holds for five minutes, once
   */
  options: {
    challenge: string
    [k: string]: unknown
  }
}
export interface StartPasskeySignInInput {}
export interface StartPasskeySignInResult {
  /**
   * For navigator.credentials, in the JSON form of WebAuthn; the challenge holds for five minutes, once
   */
  options: {
    challenge: string
    [k: string]: unknown
  }
}
export interface AddOperatorInput {
  /**
   * E-mail address, by which the operator signs in
   */
  email: string
  name: string
  roles: {
    /**
     * ID of an app, or `*` for all
     */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
}
export interface AddOperatorResult {
  /**
   * ID of the operator
   */
  id: string
  email: string
  name: string
  roles: {
    /**
     * ID of an app, or `*` for all
     */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
  /**
   * Whether the operator can sign in by password
   */
  hasPassword: boolean
  /**
   * Whether signing in by password needs a code too
   */
  hasTotp: boolean
  /**
   * Whether the operator has signed in by the identity provider
   */
  bySso: boolean
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  lastSignInAt?: string
  /**
   * Token of a sign-in link that works once within a day: /console#link={token}
   */
  link: string
}
export interface ChangeOperatorInput {
  /**
   * ID of the operator
   */
  id: string
  name?: string
  roles?: {
    /**
     * ID of an app, or `*` for all
     */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
}
export interface Operator {
  /**
   * ID of the operator
   */
  id: string
  email: string
  name: string
  roles: {
    /**
     * ID of an app, or `*` for all
     */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
  /**
   * Whether the operator can sign in by password
   */
  hasPassword: boolean
  /**
   * Whether signing in by password needs a code too
   */
  hasTotp: boolean
  /**
   * Whether the operator has signed in by the identity provider
   */
  bySso: boolean
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  lastSignInAt?: string
}
export interface ListOperatorAuditInput {
  /**
   * Such as `key:9f86d081884c` or `command:key add`
   */
  actor?: string
  /**
   * `kind:ID`, such as `room:demo-room`
   */
  subject?: string
  /**
   * Such as `updateRoom`
   */
  action?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  since?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  until?: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListOperatorAuditResult {
  data: AuditEntry[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface ListOperatorsInput {
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListOperatorsResult {
  data: Operator[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface RemoveOperatorInput {
  /**
   * ID of the operator
   */
  id: string
}
export interface RemoveOperatorResult {}
export interface ResetOperatorInput {
  /**
   * ID of the operator
   */
  id: string
}
export interface ResetOperatorResult {
  /**
   * ID of the operator
   */
  id: string
  email: string
  name: string
  roles: {
    /**
     * ID of an app, or `*` for all
     */
    app: string
    role: 'viewer' | 'support' | 'moderator' | 'developer' | 'owner'
  }[]
  /**
   * Whether the operator can sign in by password
   */
  hasPassword: boolean
  /**
   * Whether signing in by password needs a code too
   */
  hasTotp: boolean
  /**
   * Whether the operator has signed in by the identity provider
   */
  bySso: boolean
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * ISO-8601 time
   */
  lastSignInAt?: string
  /**
   * Token of a sign-in link that works once within a day: /console#link={token}
   */
  link: string
}
export interface ListAllUsersInput {
  /**
   * The beginning of an ID, of a nickname or of a word of it
   */
  q?: string
  /**
   * Without `q`. By the time of: creation; last login, of those who have logged in; ban from the app, which may have ended; creation, of robots
   */
  list?: 'created' | 'lastLogin' | 'banned' | 'robots'
  /**
   * With that time at this one or later; not with `q`
   */
  since?: string
  /**
   * With that time at this one or before; not with `q`
   */
  until?: string
  limit?: number
  /**
   * `cursor` of the page before; not with `q`
   */
  cursor?: string
}
export interface ListAllUsersResult {
  data: AdminUser[]
  /**
   * Of the next page; absent on the last one, and with `q`
   */
  cursor?: string
}
export interface ReadOverviewInput {}
export interface Figures {
  messages: number
  /**
   * Events handed to sockets, counted once for each socket
   */
  deliveries: number
  /**
   * Over HTTP, by keys and users
   */
  requests: number
  /**
   * Answered with 4xx
   */
  refusedRequests: number
  /**
   * Answered with 5xx
   */
  failedRequests: number
  emits: number
  refusedEmits: number
  failedEmits: number
  /**
   * Taken by APNs or FCM
   */
  pushes: number
  /**
   * Refused by the network, or given up
   */
  failedPushes: number
  /**
   * Answered with 2xx by room webhooks and PUSH_GENERIC
   */
  calls: number
  /**
   * Failed tries
   */
  failedCalls: number
}
export interface ReadOverviewResult {
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  nowMS: number
  connections: number
  /**
   * Calls that failed for good and are kept; counted to 1,000
   */
  deadCalls: number
  hour: {
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    fromMS: number
    figures: Figures
    /**
     * The most at one moment of this time
     */
    peakConnections: number
  }[]
  day: {
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    fromMS: number
    figures: Figures
    /**
     * The most at one moment of this time
     */
    peakConnections: number
  }[]
  processes?: {
    service: string
    node: string
    version: string
    /**
     * It has not reported for 15 seconds; after 10 minutes it is forgotten
     */
    isSilent: boolean
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    startedAtMS: number
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    reportedAtMS: number
    /**
     * Resident set size
     */
    memoryBytes: number
    /**
     * Of one core: 1 is a whole one
     */
    cpu: number
    /**
     * Of realtime nodes: the app's
     */
    connections?: number
    /**
     * Of the push service: each network that is configured
     */
    credentials?: {
      network: 'apns' | 'fcm' | 'web' | 'hms' | 'relay'
      /**
       * `refused` for the devices of this app alone, since nearly all were rejected
       */
      app?: string
      state: 'untried' | 'accepted' | 'refused'
      /**
       * Names the credentials: the key ID and team, or the project
       */
      name: string
      /**
       * In this state since
       */
      sinceMS: number
      lastError?: string
      /**
       * Milliseconds since 1970-01-01 UTC
       */
      lastErrorAtMS?: number
    }[]
  }[]
  /**
   * Events of the stream that each consumer has not taken yet
   */
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
    /**
     * An English sentence
     */
    reason: string
  }[]
}
export interface BanMemberInput {
  /**
   * Room ID
   */
  roomID: string
  /**
   * User ID
   */
  blockee: string
  /**
   * When the ban ends, Unix milliseconds of a time to come; without end by default
   */
  untilMS?: number
}
export interface ListBansInput {
  /**
   * Room ID
   */
  roomID: string
  skip?: number
  /**
   * All by default
   */
  limit?: number
}
export interface UnbanMemberInput {
  /**
   * Room ID
   */
  roomID: string
  /**
   * User ID
   */
  blockee: string
}
export interface BanUserInput {
  /**
   * User ID
   */
  client_id: string
  /**
   * When the ban ends, Unix milliseconds of a time to come; without end by default
   */
  untilMS?: number
}
export interface UnbanUserInput {
  /**
   * User ID
   */
  client_id: string
}
export interface BlockUserInput {
  /**
   * User ID
   */
  blockee: string
}
export interface ListBlocksInput {
  skip?: number
  /**
   * All by default
   */
  limit?: number
}
export interface UnblockUserInput {
  /**
   * User ID
   */
  blockee: string
}
export interface ReadModerationInput {}
export interface ModerationFigures {
  allow: number
  mask: number
  refuse: number
  /**
   * Without an answer in time, or not asked while the breaker was open
   */
  unanswered: number
  /**
   * Half of the answers took at most this long; absent without answers
   */
  p50MS?: number
  /**
   * 99 of 100 did
   */
  p99MS?: number
}
export interface ReadModerationResult {
  hour: ModerationFigures
  day: ModerationFigures
  /**
   * The present one is the last
   */
  minutes: {
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    fromMS: number
    figures: ModerationFigures
  }[]
  /**
   * At each process that has called the server. `open` after 5 failures in a row: for 5 seconds it is not asked; then one call decides
   */
  breakers: {
    node: string
    state: 'closed' | 'open' | 'half-open'
  }[]
  /**
   * Processes that did not answer
   */
  silentNodes: string[]
}
export interface TryCensorshipInput {
  /**
   * The text to try
   */
  text: string
}
export interface TryCensorshipResult {
  /**
   * With each character of a listed word as `*`
   */
  text: string
}
export interface TryModerationInput {
  /**
   * The message of the call
   */
  text: string
  /**
   * `clientID` of the call; `test` by default
   */
  sender?: string
  /**
   * `roomID` of the call; `test` by default
   */
  room?: string
}
export interface TryModerationResult {
  /**
   * unanswered: none came in time, or one that is no answer; none: the key names no server
   */
  action: 'allow' | 'mask' | 'refuse' | 'unanswered' | 'none'
  /**
   * Of the answer
   */
  text?: string
  /**
   * From the call to the answer
   */
  durationMS: number
}
export interface DecideReportInput {
  /**
   * ID of a report
   */
  id: string
  decision: 'dismiss' | 'delete' | 'ban' | 'erase'
  /**
   * When the ban ends, Unix milliseconds of a time to come; without end by default
   */
  untilMS?: number
}
export interface Report {
  id: string
  status: 'open' | 'decided'
  /**
   * Message ID
   */
  messageID: string
  /**
   * Room ID
   */
  room: string
  /**
   * The sender of the message
   */
  sender: string
  messageType: string
  /**
   * The content when it was first reported; absent once it is decided, or its sender erased
   */
  message?: unknown
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  messageTimeMS: number
  /**
   * How many users reported it
   */
  count: number
  /**
   * The latest 20, the latest first
   */
  reasons: {
    /**
     * User ID
     */
    client: string
    reason: string
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    atMS: number
  }[]
  /**
   * Of the first report
   */
  createdAtMS: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  updatedAtMS: number
  decision?: 'dismiss' | 'delete' | 'ban' | 'erase'
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  decidedAtMS?: number
}
export interface ListReportsInput {
  /**
   * Only these; by default all
   */
  status?: 'open' | 'decided'
  /**
   * Room ID
   */
  room?: string
  /**
   * Only of messages of this user; not with `room`
   */
  sender?: string
  /**
   * Only those in which this user joined; not with `room` or `sender`
   */
  reporter?: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListReportsResult {
  data: Report[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface ReportMessageInput {
  /**
   * Message ID
   */
  id: string
  reason: string
}
export interface ReportMessageResult {}
export interface SearchInput {
  type?: 'messages'[]
  keyword: string
  /**
   * Only this room
   */
  room?: string
  /**
   * Only rooms with one of these tags; all if empty
   */
  roomTags?: string[]
  /**
   * Adds `found`
   */
  excerpts?: boolean
  /**
   * Messages in all
   */
  limit?: number
}
export interface SearchResult {
  messages: {
    /**
     * Room ID
     */
    room: string
    /**
     * In the history of the room
     *
     * Items: Message ID
     */
    messages: string[]
    /**
     * In its threads; absent when there is none
     */
    threadMessages?: {
      /**
       * Message ID
       */
      _id: string
      /**
       * Message ID
       */
      threadOf: string
    }[]
  }[]
  /**
   * With `excerpts`: the same messages with the beginning of their text, the latest first
   */
  found?: {
    /**
     * Message ID
     */
    _id: string
    /**
     * User ID
     */
    sender: string
    messageType: string
    /**
     * The first 200 characters of its text, or of the `text` of its content; empty where there is none, and when it was deleted or recalled
     */
    text: string
    isDeleted: boolean
    /**
     * Room ID
     */
    room: string
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    messageTimeMS: number
    /**
     * Message ID
     */
    threadOf?: string
  }[]
}
export interface PushPayload {
  /**
   * Custom classification tag
   */
  type?: string
  /**
   * iOS: expiration, Unix seconds
   */
  expiry?: number
  /**
   * iOS: plain text, or an object with loc-key and loc-args
   */
  alert?:
    | string
    | {
        'loc-key'?: string
        'loc-args'?: unknown[]
        [k: string]: unknown
      }
  /**
   * iOS: app icon badge
   */
  badge?: number
  /**
   * iOS: sound file name
   */
  sound?: string
  /**
   * iOS: push topic, normally the app bundle ID
   */
  topic?: string
  /**
   * Android: title
   */
  title?: string
  /**
   * Android: body
   */
  body?: string
  /**
   * Android: icon URL
   */
  icon?: string
  /**
   * Android: notifications with the same key collapse
   */
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
  /**
   * Message ID
   */
  message: string
  /**
   * User ID
   */
  client: string
}
export interface PushExplanation {
  /**
   * Message ID
   */
  message: string
  /**
   * Room ID
   */
  room: string
  /**
   * User ID
   */
  client: string
  /**
   * Whether it is on record; false: the reasons that would hold now
   */
  recorded: boolean
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  decidedAtMS?: number
  /**
   * Why none of the devices got a push
   */
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
    /**
     * `sending` for long: the sending process was killed, and the outcome is unknown
     */
    outcome: 'sent' | 'refused' | 'waiting' | 'sending' | 'given up' | 'not sent'
    /**
     * With `not sent` one of PushReason, else the network's
     */
    reason?: string
    /**
     * The network's name of the push
     */
    id?: string
    /**
     * When it was sent, refused or given up
     */
    atMS?: number
    /**
     * The network called the token dead
     */
    tokenRemoved?: boolean
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    nextTryAtMS?: number
    /**
     * Failed tries so far
     */
    tries?: number
    lastError?: string
  }[]
  /**
   * The call of PUSH_GENERIC that names the user
   */
  call?: {
    /**
     * The webhook-id
     */
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
/**
 * Keys of 1 to 128 characters with any JSON as value
 */
export interface GetConfigResult {
  [k: string]: unknown
}
/**
 * Keys of 1 to 128 characters with any JSON as value
 */
export interface SetConfigInput {
  [k: string]: unknown
}
/**
 * Keys of 1 to 128 characters with any JSON as value
 */
export interface SetConfigResult {
  [k: string]: unknown
}
export interface GetConnectionCountInput {}
export interface GetConnectionCountResult {
  count: number
}
export interface GetStatsInput {
  /**
   * Unix seconds
   */
  start?: number
  /**
   * Unix seconds
   */
  end?: number
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  startTime?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  endTime?: string
}
export interface GetStatsResult {
  /**
   * Sensitive; do not log
   */
  clientKey: string
  /**
   * The key of this call. Sensitive; do not log
   */
  apiKey: string
  /**
   * ISO-8601 time
   */
  startTime: string
  /**
   * ISO-8601 time
   */
  endTime: string
  /**
   * Unix seconds
   */
  start: number
  /**
   * Unix seconds
   */
  end: number
  /**
   * Users active in the window: they sent or were connected
   *
   * Items: User ID
   */
  userList: string[]
  /**
   * Rooms with messages in the window
   */
  roomCount: number
  totalRoomCount: number
  messageCount: number
  peakConnectionCount: number
  /**
   * Host memory in bytes
   */
  totalMem: number
  /**
   * Available memory in bytes
   */
  freeMem: number
}
export interface ListFailedWebhooksInput {
  skip?: number
  limit?: number
}
export interface FailedWebhook {
  /**
   * The webhook-id of every try
   */
  id: string
  /**
   * A room's webhook, or PUSH_GENERIC
   */
  kind: 'webhook' | 'push'
  /**
   * Room ID
   */
  roomID: string
  clientID: string
  /**
   * The event of the webhook; PUSH for PUSH_GENERIC
   */
  event: string
  data: unknown
  tries: number
  lastError: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
  /**
   * ISO-8601 time
   */
  failedAt: string
}
export interface ListFailedWebhooksResult {
  totalCount: number
  data: FailedWebhook[]
}
export interface ListWebhookCallsInput {
  /**
   * Room ID
   */
  room?: string
  /**
   * From this time on; 7 days ago by default
   */
  since?: string
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  until?: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListWebhookCallsResult {
  data: WebhookDelivery[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface ReadWebhookCallInput {
  /**
   * ID of a call
   */
  id: string
}
export interface ReadWebhookCallResult {
  call: WebhookDelivery
  /**
   * `data` of a WebhookCall; a PushCall
   */
  data: unknown
}
export interface RetryFailedWebhookInput {
  /**
   * ID of a failed call
   */
  id: string
}
export interface RetryFailedWebhookResult {
  id: string
}
export interface RetryWebhookCallInput {
  /**
   * ID of a call
   */
  id: string
}
export interface RetryWebhookCallResult {
  id: string
}
export interface RetryWebhookCallsInput {
  /**
   * ISO-8601, or milliseconds since 1970-01-01 UTC
   */
  since: string | number
  /**
   * Now by default
   */
  until?: string | number
  /**
   * Room ID
   */
  room?: string
  /**
   * Only those that were made, or that failed for good
   */
  state?: 'done' | 'failed'
}
export interface RetryWebhookCallsResult {
  /**
   * Calls that are made again
   */
  count: number
  complete: boolean
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  until: number
}
export interface CloseWebhookReceiverInput {
  /**
   * ID of a receiver
   */
  id: string
}
export interface CloseWebhookReceiverResult {
  id: string
}
export interface OpenWebhookReceiverInput {
  /**
   * How long it stays open
   */
  minutes?: number
  /**
   * Its answer to every call, to try repetitions
   */
  status?: number
}
export interface OpenWebhookReceiverResult {
  id: string
  /**
   * Below the address of the API
   */
  path: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  endsAtMS: number
}
export interface ReadWebhookReceiverInput {
  /**
   * ID of a receiver
   */
  id: string
}
export interface RecordedCall {
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  atMS: number
  /**
   * Without cookies and authorization
   */
  headers: {
    [k: string]: string
  }
  body: string
  /**
   * The body was longer
   */
  isCut?: boolean
}
export interface ReadWebhookReceiverResult {
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  endsAtMS: number
  /**
   * Calls so far
   */
  count: number
  data: RecordedCall[]
}
export interface ListEventsInput {
  /**
   * The cursor of an event, or of an earlier response
   */
  after?: string
  /**
   * Events at most, and 1 MiB of them
   */
  limit?: number
  /**
   * Only these events: names, separated by commas
   */
  types?: string
  /**
   * Seconds to wait for an event when there is none
   */
  wait?: number
}
export interface FeedEvent {
  /**
   * The place of the event: `after` for all that came later
   */
  cursor: string
  /**
   * The same if the event comes twice; that of a new message is its `_id`
   */
  id: string
  /**
   * The type of `data`: see the table of events
   */
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
  /**
   * When the event was published; milliseconds since 1970
   */
  timeMS: number
  /**
   * The room that it concerns
   */
  room?: string
  /**
   * The user or user group that it concerns, where no room is concerned
   */
  user?: string
  /**
   * X-Request-ID of the call that caused it
   */
  request?: string
  /**
   * The payload, as sockets get it where they get the event
   */
  data: unknown
}
export interface ListEventsResult {
  data: FeedEvent[]
  /**
   * `after` for the next call
   */
  cursor: string
}
export interface GetJobInput {
  /**
   * `job` of an answer with status 202
   */
  id: string
  /**
   * Outcomes to pass over
   */
  skip?: number
  /**
   * Outcomes at most
   */
  limit?: number
}
export interface Job {
  _id: string
  kind: 'batch' | 'erasure' | 'export'
  /**
   * failed: a batch or an export given up after many tries; finished parts of a batch stay
   */
  state: 'running' | 'done' | 'failed'
  /**
   * ISO-8601 time
   */
  createdAt: string
  /**
   * When it last got on
   */
  updatedAt: string
  /**
   * ISO-8601 time
   */
  finishedAt?: string
  /**
   * Recipients of a batch, rooms of the erased user, or lines of an export so far; `done` only grows
   */
  progress: {
    done: number
    total: number
  }
  /**
   * Of a batch: the outcome per recipient, in order, from `skip` on
   */
  outcomes?: {
    /**
     * Outcomes so far
     */
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
  /**
   * Of a finished export
   */
  export?: {
    /**
     * Of the ZIP, signed
     */
    url: string
    /**
     * A day after its end: then the export is deleted
     */
    urlExpiresAtMS: number
    size: number
  }
}
export interface ListJobsInput {
  /**
   * This job alone
   */
  id?: string
  state?: 'running' | 'done' | 'failed'
  kind?: 'batch' | 'erasure' | 'export'
  /**
   * Begun at this time or later
   */
  since?: string
  /**
   * Begun at this time or before
   */
  until?: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListJobsResult {
  data: Job[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface LiftHoldInput {
  id: string
}
export interface Hold {
  _id: string
  /**
   * Everything that this user wrote
   */
  user?: string
  /**
   * Everything in this room
   */
  room?: string
  reason: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
}
export interface ListHoldsInput {
  /**
   * Only those on this user
   */
  user?: string
  /**
   * Only those on this room
   */
  room?: string
  limit?: number
  /**
   * `cursor` of the page before
   */
  cursor?: string
}
export interface ListHoldsResult {
  data: Hold[]
  /**
   * Of the next page; absent on the last one
   */
  cursor?: string
}
export interface PlaceHoldInput {
  /**
   * Either a user
   */
  user?: string
  /**
   * Or a room
   */
  room?: string
  reason: string
}
export interface ExportMeInput {}
export interface ExportUserInput {
  /**
   * User ID
   */
  client_id: string
}
export interface GetMyExportInput {}
export interface ServerEvents {
  'chat message': Message
  'thread message': Message
  room: Room
  lastRead: {
    /**
     * Room ID
     */
    roomID: string
    /**
     * User ID
     */
    memberID: string
    /**
     * Message ID
     */
    messageID: string
  }
  threadLastRead: {
    /**
     * Room ID
     */
    roomID: string
    /**
     * Message ID
     */
    threadOf: string
    /**
     * Message ID
     */
    messageID: string
    unread: number
  }
  delivered: {
    /**
     * Room ID
     */
    roomID: string
    members: {
      /**
       * User ID
       */
      memberID: string
      /**
       * Message ID
       */
      messageID: string
      seq: number
    }[]
  }
  typing: {
    /**
     * Room ID
     */
    room: string
    message: string
    /**
     * User ID
     */
    sender: string
  }
  ai_streaming: {
    /**
     * Room ID
     */
    room: string
    /**
     * User ID
     */
    sender: string
    text: string
    /**
     * The message, when it is being streamed into the history
     */
    message?: string
    /**
     * Then: where the piece begins in its text, in UTF-16 units
     */
    at?: number
  }
  roomPref: {
    /**
     * Room ID
     */
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
    /**
     * Absent: the settings for everywhere
     */
    room?: string
    /**
     * With a room: those of its thread about this message
     */
    threadOf?: string
    /**
     * All of them there
     */
    settings: UserNotifications
  }
  reminder: {
    /**
     * Message ID
     */
    messageID: string
    /**
     * Room ID
     */
    room: string
    /**
     * Of a message in a thread: its root
     */
    threadOf?: string
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    remindAtMS: number
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    createdAtMS: number
  }
  myPrefChange: {
    data: unknown
    key: string
  }
  myPrefDelete: string
  invitation: Invitation
  removedFromRoom: {
    /**
     * Room ID
     */
    room: string
    /**
     * The acting user; null for the API key
     */
    by: string | null
  }
  serverTime: {
    /**
     * Milliseconds since 1970-01-01 UTC
     */
    serverTimeMS: number
  }
  presence: {
    clients: {
      /**
       * User ID
       */
      client: string
      /**
       * online: a device is connected and not away. away: all that are connected are. unknown: Redis cannot be asked now
       */
      state: 'online' | 'away' | 'offline' | 'unknown'
      /**
       * Whether a device is connected: online or away. Absent while unknown
       */
      online?: boolean
      /**
       * Whether the state is away. Absent while unknown
       */
      away?: boolean
      /**
       * Only when offline: when the last device was connected. Absent for hidden users, and for those who never connected
       */
      lastSeenMS?: number
    }[]
  }
  userDeleteMessages: {
    /**
     * Room ID
     */
    room: string
    /**
     * Items: Message ID
     */
    messages: string[]
    isUserDeleteAllMessagesInRoom: boolean
    /**
     * Of all messages: those of the room up to this `seq`
     */
    upToSeq?: number
  }
  messageDeleted: {
    /**
     * Room ID
     */
    room: string
    messageID: string
    /**
     * Of _all: the messages of the room up to this `seq`
     */
    upToSeq?: number
    /**
     * Of _all: messages of its threads up to this `createdAtMS`
     */
    upToMS?: number
  }
  messageUpdated: Message
}
export interface LoginResult {
  /**
   * User ID
   */
  _id: string
  appID: string
  /**
   * IM-CLIENT-KEY of the user’s REST calls
   */
  clientKey: string
  deviceId: string
  /**
   * When the token ends, and the connection with it
   */
  expirationDate: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  serverTimeMS: number
  /**
   * With `since`: whether every event since then has arrived; false: fetch missed changes
   */
  resumed?: boolean
}
export interface WebhookCall {
  appID: string
  /**
   * The acting user; empty for the API key
   */
  clientID: string
  /**
   * Room ID
   */
  roomID: string
  event: 'MESSAGE' | 'MESSAGE_UPDATED' | 'MESSAGE_DELETED' | 'JOIN_ROOM' | 'ADD_MEMBERS' | 'DELETE_MEMBERS' | 'ROOM'
  botState: string
  /**
   * With MESSAGE: the command that the user typed, when a robot of the room has it
   */
  command?: {
    name: string
    /**
     * The text after the name
     */
    text: string
    /**
     * The robots of the room that have the command
     *
     * Items: User ID
     */
    robots: string[]
  }
  /**
   * A Message; {room, sender, members}; with ROOM the Room beside them
   */
  data: unknown
}
export interface PushCall {
  /**
   * Message ID
   */
  _id: string
  /**
   * Message ID
   */
  id: string
  /**
   * Content; absent once the message is deleted or recalled
   */
  message?: unknown
  /**
   * Room ID
   */
  room: string
  messageType: string
  appID: string
  /**
   * ISO-8601 time
   */
  messageTime: string
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  messageTimeMS: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  updatedAtMS: number
  /**
   * Milliseconds since 1970-01-01 UTC
   */
  createdAtMS: number
  reactions: Reaction[]
  reactionCount: number
  isDeleted: boolean
  /**
   * 1, 2, 3… without holes in its room or thread
   */
  seq: number
  /**
   * Items: User ID
   */
  mentions?: string[]
  /**
   * Its files; GET /files/{id} has where to fetch one
   */
  attachments?: Attachment[]
  /**
   * The server wrote it, about a change of members
   */
  system?: boolean
  pinned?: boolean
  /**
   * Its content was replaced
   */
  edited?: boolean
  /**
   * A robot is still writing it
   */
  streaming?: boolean
  /**
   * When it expires, and becomes a stub as one deleted for all
   */
  expiresAtMS?: number
  clientMessageID?: string
  /**
   * The message of the same room that it replies to
   */
  replyTo?: Quote
  /**
   * The root of its thread; seq then counts in the thread
   */
  threadOf?: string
  /**
   * The messages of the thread about it
   */
  threadCount?: number
  /**
   * `seq` of the latest message of the thread
   */
  threadLatestSeq?: number
  /**
   * The last of them
   */
  lastThreadMessage?: Quote
  /**
   * The first five users of the thread
   *
   * Items: User ID
   */
  threadParticipants?: string[]
  sender: Sender
  roomName: string
  /**
   * The recipients, at most 10,000; more come in further calls
   *
   * Items: User ID
   */
  pushToClients: string[]
  /**
   * Members whose settings keep the push back, by setting
   */
  keptBack?: {
    /**
     * Items: User ID
     */
    [k: string]: string[]
  }
}
export interface WebhookAnswer {
  /**
   * User ID
   */
  senderID?: string
  toBotState?: string
  data?: {
    /**
     * Content: any JSON, at most 64 KiB
     */
    message: unknown
    /**
     * Free-form type, e.g. text, image, announcement; not joinRoom, addMembers, leaveRoom, deleteMember
     */
    messageType: string
    /**
     * Message ID
     */
    replyTo?: string
    thread?: boolean
  }
}
export interface ClientCalls {
  /** A page of the history of a room: GET /rooms/:id/messages/v3 */
  listMessages: { input: ListMessagesInput; result: ListMessagesResult }
  /** Send, edit or recall a message as a member of the room: POST /rooms/:id/message */
  writeMessage: { input: WriteMessageInput; result: WriteMessageResult; scheduled: ScheduledMessage }
  /** React to a message: POST /messages/:id/reaction */
  addReaction: { input: AddReactionInput; result: AddReactionResult }
  /** Remove a reaction of the caller: DELETE /messages/:id/reaction */
  removeReaction: { input: RemoveReactionInput; result: RemoveReactionResult }
  /** The readers of a message: GET /messages/:id/readers */
  listReaders: { input: ListReadersInput; result: ListReadersResult }
  /** The card of the first link of a message: GET /messages/:id/linkCard */
  getLinkCard: { input: GetLinkCardInput; result: GetLinkCardResult }
  /** A page of the thread about a message: GET /messages/:id/thread */
  listThread: { input: ListThreadInput; result: ListThreadResult }
  /** The threads in which the caller takes part, in the rooms that they are in: GET /threads */
  listThreads: { input: ListThreadsInput; result: ListThreadsResult }
  /** Report the last message of a thread that the caller has read: PUT /messages/:id/thread/lastRead */
  markThreadRead: { input: MarkThreadReadInput; result: MarkThreadReadResult }
  /** Do not send a message later: DELETE /scheduled/:id */
  cancelScheduled: { input: CancelScheduledInput; result: CancelScheduledResult }
  /** Change a message that is to be sent later, or was refused: PUT /scheduled/:id */
  changeScheduled: { input: ChangeScheduledInput; result: ChangeScheduledResult }
  /** The messages to send later, the next first: GET /scheduled */
  listScheduled: { input: ListScheduledInput; result: ListScheduledResult }
  /** Send a message later: POST /scheduled */
  scheduleMessage: { input: ScheduleMessageInput; result: ScheduleMessageResult }
  /** Take a message off the list of bookmarks: DELETE /me/bookmarks/:id */
  deleteBookmark: { input: DeleteBookmarkInput; result: DeleteBookmarkResult }
  /** Do not be reminded of a message: DELETE /me/reminders/:id */
  deleteReminder: { input: DeleteReminderInput; result: DeleteReminderResult }
  /** The bookmarks, the newest first: GET /me/bookmarks */
  listBookmarks: { input: ListBookmarksInput; result: ListBookmarksResult }
  /** The reminders to come, the next first: GET /me/reminders */
  listReminders: { input: ListRemindersInput; result: ListRemindersResult }
  /** Put a message on the list of bookmarks; one that is there stays where it is: PUT /me/bookmarks/:id */
  saveBookmark: { input: SaveBookmarkInput; result: SaveBookmarkResult }
  /** Be reminded of a message at a time; a reminder of the same message is moved: POST /me/reminders */
  setReminder: { input: SetReminderInput; result: SetReminderResult }
  /** Delete all present messages of a room for the caller only: POST /messages/user-delete/all-in-room */
  deleteAllForMe: { input: DeleteAllForMeInput; result: DeleteAllForMeResult }
  /** Delete a message, or with _all every message of the room, for everybody: DELETE /rooms/:roomID/messages/:messageID */
  deleteForAll: { input: DeleteForAllInput; result: DeleteForAllResult }
  /** Delete messages for the caller only: POST /messages/user-delete */
  deleteForMe: { input: DeleteForMeInput; result: DeleteForMeResult }
  /** Announce a file, and get where to PUT its bytes: POST /files */
  createFile: { input: CreateFileInput; result: CreateFileResult }
  /** A file, and where to fetch its bytes: GET /files/:id */
  getFile: { input: GetFileInput; result: GetFileResult }
  /** Say that the bytes of a file are uploaded: POST /files/:id/uploaded */
  markUploaded: { input: MarkUploadedInput; result: MarkUploadedResult }
  /** Show the other members that the caller is typing: POST /rooms/:id/typing */
  typing: { input: TypingInput; result: TypingResult }
  /** Add a piece to a message that is being streamed: POST /messages/:id/stream */
  appendStream: { input: AppendStreamInput; result: AppendStreamResult }
  /** End a message that is being streamed: POST /messages/:id/stream/end */
  endStream: { input: EndStreamInput; result: EndStreamResult }
  /** Open a message that a robot writes piece by piece: POST /messages/stream */
  openStream: { input: OpenStreamInput; result: OpenStreamResult }
  /** The pinned messages of a room, the newest first: GET /rooms/:id/pins */
  listPins: { input: ListPinsInput; result: ListPinsResult }
  /** Pin a message: POST /messages/:id/pin */
  pinMessage: { input: PinMessageInput; result: PinMessageResult }
  /** Unpin a message: DELETE /messages/:id/pin */
  unpinMessage: { input: UnpinMessageInput; result: UnpinMessageResult }
  /** Delete a room: DELETE /rooms/:id */
  deleteRoom: { input: DeleteRoomInput; result: DeleteRoomResult }
  /** A room of the caller: GET /rooms/:id */
  getRoom: { input: GetRoomInput; result: GetRoomResult }
  /** The caller's rooms: GET /rooms */
  listRooms: { input: ListRoomsInput; result: ListRoomsResult }
  /** Change a room: PUT /rooms/:id */
  updateRoom: { input: UpdateRoomInput; result: UpdateRoomResult }
  /** Report the last message that the caller has read: PUT /rooms/:id/lastRead */
  markRead: { input: MarkReadInput; result: MarkReadResult }
  /** Report the last message that has reached the caller, as by a push: PUT /rooms/:id/delivered */
  markDelivered: { input: MarkDeliveredInput; result: MarkDeliveredResult }
  /** The commands of the robots in a room, by name: GET /rooms/:id/commands */
  listCommands: { input: ListCommandsInput; result: ListCommandsResult }
  /** Total unread across the rooms of the caller: GET /me/badge */
  getBadge: { input: GetBadgeInput; result: GetBadgeResult }
  /** Unread by the rooms' tags: POST /badges/byRoomTags */
  getBadgesByRoomTags: { input: GetBadgesByRoomTagsInput; result: GetBadgesByRoomTagsResult }
  /** Mute a room; roomPref goes to the other devices: POST /me/mute/:room */
  muteRoom: { input: MuteRoomInput; result: MuteRoomResult }
  /** Change the caller's preferences for a room; roomPref goes to the other devices: POST /roomPrefs/:room */
  setRoomPref: { input: SetRoomPrefInput; result: SetRoomPrefResult }
  /** Unmute a room; roomPref goes to the other devices: DELETE /me/mute/:room */
  unmuteRoom: { input: UnmuteRoomInput; result: UnmuteRoomResult }
  /** The caller’s changes since a time: GET /me/changes */
  getChanges: { input: GetChangesInput; result: GetChangesResult }
  /** Add members to a group, or invite them: POST /rooms/:id/members */
  addMembers: { input: AddMembersInput; result: AddMembersResult }
  /** Decline an invitation: DELETE /rooms/:id/invitations */
  declineInvitation: { input: DeclineInvitationInput; result: DeclineInvitationResult }
  /** Join a group that is open, or that the caller is invited to: POST /rooms/:id/join */
  joinRoom: { input: JoinRoomInput; result: JoinRoomResult }
  /** The open invitations of the caller, the newest first: GET /invitations */
  listInvitations: { input: ListInvitationsInput; result: ListInvitationsResult }
  /** The members of a room, the longest-standing first: GET /rooms/:id/members */
  listMembers: { input: ListMembersInput; result: ListMembersResult }
  /** Leave a group, or remove members from it: POST /rooms/:id/delete/members */
  removeMembers: { input: RemoveMembersInput; result: RemoveMembersResult }
  /** Make a member a manager, or a manager a member again: PUT /rooms/:id/member/:client */
  setMemberRole: { input: SetMemberRoleInput; result: SetMemberRoleResult }
  /** Find users by the beginning of their name: GET /users/search */
  searchUsers: { input: SearchUsersInput; result: SearchUsersResult }
  /** Start a chat with users whom the caller may find: POST /me/rooms */
  startChat: { input: StartChatInput; result: StartChatResult }
  /** The caller: GET /me */
  getMe: { input: GetMeInput; result: GetMeResult }
  /** Register a device for push: POST /me/subscribe */
  subscribe: { input: SubscribeInput; result: SubscribeResult }
  /** Unregister a device; without deviceId and token, all devices of the caller: POST /me/unsubscribe */
  unsubscribe: { input: UnsubscribeInput; result: UnsubscribeResult }
  /** The app's public key for Web Push: the applicationServerKey of PushManager.subscribe(): GET /me/webPushKey */
  webPushKey: { input: WebPushKeyInput; result: WebPushKeyResult }
  /** The caller's notifications: GET /me/notifications */
  getMyNotifications: { input: GetMyNotificationsInput; result: GetMyNotificationsResult }
  /** The caller's notifications of a room: GET /me/notifications/rooms/:room */
  getMyRoomNotifications: { input: GetMyRoomNotificationsInput; result: GetMyRoomNotificationsResult }
  /** The caller's notifications of a thread in which they take part: GET /me/notifications/threads/:id */
  getMyThreadNotifications: { input: GetMyThreadNotificationsInput; result: GetMyThreadNotificationsResult }
  /** Set the caller's notifications; notificationSettings goes to the other devices: PUT /me/notifications */
  setMyNotifications: { input: SetMyNotificationsInput; result: SetMyNotificationsResult }
  /** Set the caller's notifications of a room; notificationSettings goes to the other devices: PUT /me/notifications/rooms/:room */
  setMyRoomNotifications: { input: SetMyRoomNotificationsInput; result: SetMyRoomNotificationsResult }
  /** Set the caller's notifications of a thread; notificationSettings goes to the other devices: PUT /me/notifications/threads/:id */
  setMyThreadNotifications: { input: SetMyThreadNotificationsInput; result: SetMyThreadNotificationsResult }
  /** Delete a personal preference; myPrefDelete goes to the other devices: DELETE /me/pref/:key */
  deleteMyPref: { input: DeleteMyPrefInput; result: DeleteMyPrefResult }
  /** The personal preferences of the caller, by key: GET /me/pref */
  listMyPrefs: { input: ListMyPrefsInput; result: ListMyPrefsResult }
  /** Set a personal preference; myPrefChange goes to the other devices: POST /me/pref/:key */
  setMyPref: { input: SetMyPrefInput; result: SetMyPrefResult }
  /** Whether these users are online: GET /presence */
  getPresence: { input: GetPresenceInput; result: GetPresenceResult }
  /** End one of the caller’s tokens, and its sockets: sign a device out: DELETE /me/tokens/:id */
  endMyToken: { input: EndMyTokenInput; result: EndMyTokenResult }
  /** The caller’s tokens in force: where they are signed in: GET /me/tokens */
  listMyTokens: { input: ListMyTokensInput; result: ListMyTokensResult }
  /** Issue a new token; ends the one of this call: POST /me/token */
  renewToken: { input: RenewTokenInput; result: RenewTokenResult }
  /** Ban a user in a room: POST /blockStatus/room/:roomID/:blockee */
  banMember: { input: BanMemberInput; result: BanMemberResult }
  /** The bans in force in a room, the oldest first, for its members: GET /blockStatus/room/:roomID */
  listBans: { input: ListBansInput; result: ListBansResult }
  /** Lift a ban, by the room owner or the API key: DELETE /blockStatus/room/:roomID/:blockee */
  unbanMember: { input: UnbanMemberInput; result: UnbanMemberResult }
  /** Block a user everywhere: POST /blockStatus/my/:blockee */
  blockUser: { input: BlockUserInput; result: BlockUserResult }
  /** The users blocked by the caller, the longest blocked first: GET /blockStatus/my */
  listBlocks: { input: ListBlocksInput; result: ListBlocksResult }
  /** Lift a personal block: DELETE /blockStatus/my/:blockee */
  unblockUser: { input: UnblockUserInput; result: UnblockUserResult }
  /** Report a message to the moderators of the app: POST /messages/:id/report */
  reportMessage: { input: ReportMessageInput; result: ReportMessageResult }
  /** Search the messages of the caller's rooms: POST /search */
  search: { input: SearchInput; result: SearchResult }
  /** The current configuration: GET /config */
  getConfig: { input: GetConfigInput; result: GetConfigResult }
  /** Export the caller's own data, once a day: POST /me/export */
  exportMe: { input: ExportMeInput; result: ExportMeResult }
  /** How far the caller's latest export is; of a finished one the address, for a day: GET /me/export */
  getMyExport: { input: GetMyExportInput; result: GetMyExportResult }
}
export interface AdminCalls {
  /** Send a message to many users and rooms: POST /messages/batch */
  sendBatch: { input: SendBatchInput; result: SendBatchResult }
  /** Send a message to a room on behalf of a user: POST /messages */
  sendMessage: { input: SendMessageInput; result: SendMessageResult; scheduled: ScheduledMessage }
  /** Send, edit or recall a message as a member of the room: POST /rooms/:id/message */
  writeMessage: { input: WriteMessageInput; result: WriteMessageResult; scheduled: ScheduledMessage }
  /** The readers of a message: GET /messages/:id/readers */
  listReaders: { input: ListReadersInput; result: ListReadersResult }
  /** The card of the first link of a message: GET /messages/:id/linkCard */
  getLinkCard: { input: GetLinkCardInput; result: GetLinkCardResult }
  /** The way of one message: GET /admin/messages/:id/trace */
  traceMessage: { input: TraceMessageInput; result: TraceMessageResult }
  /** Do not send a message later: DELETE /scheduled/:id */
  cancelScheduled: { input: CancelScheduledInput; result: CancelScheduledResult }
  /** Change a message that is to be sent later, or was refused: PUT /scheduled/:id */
  changeScheduled: { input: ChangeScheduledInput; result: ChangeScheduledResult }
  /** The messages to send later, the next first: GET /scheduled */
  listScheduled: { input: ListScheduledInput; result: ListScheduledResult }
  /** Send a message later: POST /scheduled */
  scheduleMessage: { input: ScheduleMessageInput; result: ScheduleMessageResult }
  /** Delete a message, or with _all every message of the room, for everybody: DELETE /rooms/:roomID/messages/:messageID */
  deleteForAll: { input: DeleteForAllInput; result: DeleteForAllResult }
  /** Announce a file, and get where to PUT its bytes: POST /files */
  createFile: { input: CreateFileInput; result: CreateFileResult }
  /** A file, and where to fetch its bytes: GET /files/:id */
  getFile: { input: GetFileInput; result: GetFileResult }
  /** Say that the bytes of a file are uploaded: POST /files/:id/uploaded */
  markUploaded: { input: MarkUploadedInput; result: MarkUploadedResult }
  /** Stream a piece of a message that a robot is writing: POST /rooms/:id/aiStreaming */
  streamText: { input: StreamTextInput; result: StreamTextResult }
  /** Add a piece to a message that is being streamed: POST /messages/:id/stream */
  appendStream: { input: AppendStreamInput; result: AppendStreamResult }
  /** End a message that is being streamed: POST /messages/:id/stream/end */
  endStream: { input: EndStreamInput; result: EndStreamResult }
  /** Open a message that a robot writes piece by piece: POST /messages/stream */
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
  /** The commands of the robots in a room, by name: GET /rooms/:id/commands */
  listCommands: { input: ListCommandsInput; result: ListCommandsResult }
  /** The sum that makes a user's badge: GET /admin/clients/:client_id/badge */
  explainBadge: { input: ExplainBadgeInput; result: ExplainBadgeResult }
  /** Put a room into a user's mute list: POST /admin/clients/:uid/mute/:room */
  muteUser: { input: MuteUserInput; result: MuteUserResult }
  /** Take a room out of a user's mute list: DELETE /admin/clients/:uid/mute/:room */
  unmuteUser: { input: UnmuteUserInput; result: UnmuteUserResult }
  /** Add members to a group, or invite them: POST /rooms/:id/members */
  addMembers: { input: AddMembersInput; result: AddMembersResult }
  /** The members of a room, the longest-standing first: GET /rooms/:id/members */
  listMembers: { input: ListMembersInput; result: ListMembersResult }
  /** Leave a group, or remove members from it: POST /rooms/:id/delete/members */
  removeMembers: { input: RemoveMembersInput; result: RemoveMembersResult }
  /** Make a member a manager, or a manager a member again: PUT /rooms/:id/member/:client */
  setMemberRole: { input: SetMemberRoleInput; result: SetMemberRoleResult }
  /** Erase a user: DELETE /admin/clients/:client_id */
  eraseUser: { input: EraseUserInput; result: EraseUserResult }
  /** Query users: GET /admin/clients */
  listUsers: { input: ListUsersInput; result: ListUsersResult }
  /** Create or update a user, issue or assign a token: POST /admin/clients */
  saveUser: { input: SaveUserInput; result: SaveUserResult }
  /** Create or update up to 1,000 users at once: POST /admin/clients/list */
  saveUsers: { input: SaveUsersInput; result: SaveUsersResult }
  /** The devices of a user that are connected now: GET /admin/clients/:client_id/connections */
  listConnections: { input: ListConnectionsInput; result: ListConnectionsResult }
  /** Remove a user group; its members stay: DELETE /admin/groups/:id */
  deleteGroup: { input: DeleteGroupInput; result: DeleteGroupResult }
  /** User groups: GET /admin/groups */
  listGroups: { input: ListGroupsInput; result: ListGroupsResult }
  /** Create or replace a user group: POST /admin/groups */
  saveGroup: { input: SaveGroupInput; result: SaveGroupResult }
  /** The notifications of a user: GET /admin/clients/:uid/notifications */
  getNotifications: { input: GetNotificationsInput; result: GetNotificationsResult }
  /** The notifications of a user in a room: GET /admin/clients/:uid/notifications/rooms/:room */
  getRoomNotifications: { input: GetRoomNotificationsInput; result: GetRoomNotificationsResult }
  /** Set the notifications of a user; notificationSettings goes to their devices: PUT /admin/clients/:uid/notifications */
  setNotifications: { input: SetNotificationsInput; result: SetNotificationsResult }
  /** Set the notifications of a user in a room; notificationSettings goes to their devices: PUT /admin/clients/:uid/notifications/rooms/:room */
  setRoomNotifications: { input: SetRoomNotificationsInput; result: SetRoomNotificationsResult }
  /** Bind a token of the integrator to a user; it replaces all of the user’s tokens: PUT /admin/clients/:client_id/token */
  bindToken: { input: BindTokenInput; result: BindTokenResult }
  /** End one token of a user, and its sockets: DELETE /admin/clients/:client_id/tokens/:id */
  endToken: { input: EndTokenInput; result: EndTokenResult }
  /** The tokens of a user in force: GET /admin/clients/:client_id/tokens */
  listTokens: { input: ListTokensInput; result: ListTokensResult }
  /** Revoke one token of a user, or all: DELETE /admin/clients/:client_id/token */
  revokeTokens: { input: RevokeTokensInput; result: RevokeTokensResult }
  /** Add an API key to the app: POST /admin/keys */
  addKey: { input: AddKeyInput; result: AddKeyResult }
  /** The API keys of the app, the oldest first; never the keys themselves: GET /admin/keys */
  listKeys: { input: ListKeysInput; result: ListKeysResult }
  /** End an API key: DELETE /admin/keys/:id */
  revokeKey: { input: RevokeKeyInput; result: RevokeKeyResult }
  /** The bans in force in a room, the oldest first: GET /admin/rooms/:id/bans */
  inspectBans: { input: InspectBansInput; result: InspectBansResult }
  /** The members of a room with roles, read markers and bans, the longest-standing first: GET /admin/rooms/:id/members */
  inspectMembers: { input: InspectMembersInput; result: InspectMembersResult }
  /** A page of the history of a room, without being a member: GET /admin/rooms/:id/messages */
  inspectMessages: { input: InspectMessagesInput; result: InspectMessagesResult }
  /** The pinned messages of a room, the newest first: GET /admin/rooms/:id/pins */
  inspectPins: { input: InspectPinsInput; result: InspectPinsResult }
  /** A room with everything that is set, and its latest message: GET /admin/rooms/:id */
  inspectRoom: { input: InspectRoomInput; result: InspectRoomResult }
  /** The rooms of a user with unread counts and roles, the latest message first: GET /admin/clients/:client_id/rooms */
  inspectRoomsOfUser: { input: InspectRoomsOfUserInput; result: InspectRoomsOfUserResult }
  /** A page of the thread about a message, without being a member: GET /admin/messages/:id/thread */
  inspectThread: { input: InspectThreadInput; result: InspectThreadResult }
  /** Query the rooms of the app: GET /admin/rooms */
  listAllRooms: { input: ListAllRoomsInput; result: ListAllRoomsResult }
  /** Everything that is known of a user: GET /admin/clients/:client_id */
  inspectUser: { input: InspectUserInput; result: InspectUserResult }
  /** Changes made by API keys, operators and commands, the latest first: GET /admin/audit */
  listAudit: { input: ListAuditInput; result: ListAuditResult }
  /** Search the messages of all rooms of the app: POST /admin/search */
  searchAllMessages: { input: SearchAllMessagesInput; result: SearchAllMessagesResult }
  /** The timeline of a user or a room, with reasons, the latest first: GET /admin/timeline */
  readTimeline: { input: ReadTimelineInput; result: ReadTimelineResult }
  /** Users of the app, by the beginning of a name or ID, or the latest first: GET /admin/users */
  listAllUsers: { input: ListAllUsersInput; result: ListAllUsersResult }
  /** Activity of the app now, in the last hour and the last day; processes; alerts: GET /admin/overview */
  readOverview: { input: ReadOverviewInput; result: ReadOverviewResult }
  /** Ban a user in a room: POST /blockStatus/room/:roomID/:blockee */
  banMember: { input: BanMemberInput; result: BanMemberResult }
  /** Lift a ban, by the room owner or the API key: DELETE /blockStatus/room/:roomID/:blockee */
  unbanMember: { input: UnbanMemberInput; result: UnbanMemberResult }
  /** Ban a user from the app: POST /admin/clients/:client_id/ban */
  banUser: { input: BanUserInput; result: BanUserResult }
  /** Lift the ban of a user from the app: DELETE /admin/clients/:client_id/ban */
  unbanUser: { input: UnbanUserInput; result: UnbanUserResult }
  /** Answers of the server that MODERATE names: how many of each kind, and how fast: GET /admin/moderation */
  readModeration: { input: ReadModerationInput; result: ReadModerationResult }
  /** A text as the censored words let it be: GET /admin/censorship */
  tryCensorship: { input: TryCensorshipInput; result: TryCensorshipResult }
  /** Ask the server that the key MODERATE names about a text, as for a message: POST /admin/moderation/try */
  tryModeration: { input: TryModerationInput; result: TryModerationResult }
  /** Decide about a reported message: POST /admin/reports/:id/decide */
  decideReport: { input: DecideReportInput; result: DecideReportResult }
  /** Reported messages, those first reported last coming first: GET /admin/reports */
  listReports: { input: ListReportsInput; result: ListReportsResult }
  /** Push a notification to all devices of users: POST /push/push2clients */
  pushToClients: { input: PushToClientsInput; result: PushToClientsResult }
  /** Why a message was pushed to the devices of a user, or was not, and the outcome: GET /admin/push/why */
  whyPush: { input: WhyPushInput; result: WhyPushResult }
  /** Remove a configuration key: DELETE /config/:key */
  deleteConfigKey: { input: DeleteConfigKeyInput; result: DeleteConfigKeyResult }
  /** The current configuration: GET /config */
  getConfig: { input: GetConfigInput; result: GetConfigResult }
  /** Set configuration keys; others stay: POST /config */
  setConfig: { input: SetConfigInput; result: SetConfigResult }
  /** Current WebSocket connections: GET /admin/connection-count */
  getConnectionCount: { input: GetConnectionCountInput; result: GetConnectionCountResult }
  /** Statistics of a window: GET /admin/stats */
  getStats: { input: GetStatsInput; result: GetStatsResult }
  /** Calls to room webhooks and PUSH_GENERIC that failed for good, the latest first: GET /admin/webhooks/failed */
  listFailedWebhooks: { input: ListFailedWebhooksInput; result: ListFailedWebhooksResult }
  /** Calls to room webhooks and PUSH_GENERIC, the latest first: GET /admin/webhooks/calls */
  listWebhookCalls: { input: ListWebhookCallsInput; result: ListWebhookCallsResult }
  /** A call with its data, as it would go out now: GET /admin/webhooks/calls/:id */
  readWebhookCall: { input: ReadWebhookCallInput; result: ReadWebhookCallResult }
  /** Retry a failed call: POST /admin/webhooks/failed/:id/retry */
  retryFailedWebhook: { input: RetryFailedWebhookInput; result: RetryFailedWebhookResult }
  /** Make a call again that was made, or that failed for good: POST /admin/webhooks/calls/:id/retry */
  retryWebhookCall: { input: RetryWebhookCallInput; result: RetryWebhookCallResult }
  /** Make the calls of a time again: POST /admin/webhooks/calls/retry */
  retryWebhookCalls: { input: RetryWebhookCallsInput; result: RetryWebhookCallsResult }
  /** Close a receiver; its calls are forgotten: DELETE /admin/webhooks/receivers/:id */
  closeWebhookReceiver: { input: CloseWebhookReceiverInput; result: CloseWebhookReceiverResult }
  /** Open an address of Parley that records the calls made to it: POST /admin/webhooks/receivers */
  openWebhookReceiver: { input: OpenWebhookReceiverInput; result: OpenWebhookReceiverResult }
  /** The calls that a receiver has recorded, the latest first: GET /admin/webhooks/receivers/:id */
  readWebhookReceiver: { input: ReadWebhookReceiverInput; result: ReadWebhookReceiverResult }
  /** The app's events, all in one order: GET /admin/events */
  listEvents: { input: ListEventsInput; result: ListEventsResult }
  /** How far a batch or an erasure is that goes on in the background: GET /admin/jobs/:id */
  getJob: { input: GetJobInput; result: GetJobResult }
  /** Batches and erasures that go on in the background, or did in the last days, the latest first: GET /admin/jobs */
  listJobs: { input: ListJobsInput; result: ListJobsResult }
  /** Lift a legal hold: DELETE /admin/holds/:id */
  liftHold: { input: LiftHoldInput; result: LiftHoldResult }
  /** The legal holds in force, the latest first: GET /admin/holds */
  listHolds: { input: ListHoldsInput; result: ListHoldsResult }
  /** Place a legal hold on a user or a room: POST /admin/holds */
  placeHold: { input: PlaceHoldInput; result: PlaceHoldResult }
  /** Export everything about a user: POST /admin/clients/:client_id/export */
  exportUser: { input: ExportUserInput; result: ExportUserResult }
}
