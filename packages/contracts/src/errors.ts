/**
 * Every error that Parley returns: its HTTP status and when it happens (docs/errors.md has causes and cures). Codes that
 * are not in the interface are marked as ours.
 */
export const errorCatalogue = {
  INVALID_TAGS: { status: 400, when: 'tags is not an array of strings' },
  INVALID_QUERY: { status: 400, when: 'A query parameter or the filter q has bad syntax' },
  INVALID_BODY: { status: 400, when: 'The body is not valid JSON, or not a JSON object' },
  ROOM_NOT_MUTED: { status: 400, when: "The room is not in the user's mute list" },
  MISSING_PARAMETER: { status: 400, when: 'A required field is missing' },
  INVALID_USER_ID: { status: 400, when: 'Unban with an invalid user ID' },
  INVALID_REQUEST: { status: 400, when: 'A field has the wrong type or value, or is unknown' },
  INVALID_ENCODING: { status: 400, when: 'conf names an unknown encoding', ours: true },
  INVALID_TOKEN: { status: 401, when: 'Client token invalid or expired' },
  INVALID_CLIENT_KEY: { status: 401, when: 'Client key missing or wrong', ours: true },
  INVALID_API_KEY: { status: 401, when: 'API key missing or invalid' },
  INVALID_SESSION: { status: 401, when: 'The operator is not signed in, or the session has ended', ours: true },
  SIGN_IN_FAILED: { status: 401, when: 'The e-mail, password, code or link is wrong', ours: true },
  TOTP_REQUIRED: { status: 401, when: 'Signing in needs the code of the authenticator too', ours: true },
  UNAUTHORIZED: { status: 401, when: 'API key missing or invalid, on the endpoints of the bare form' },
  NOT_ROOM_MEMBER: { status: 403, when: 'The user is not a member of the room' },
  NOT_IN_THREAD: { status: 403, when: 'The user takes no part in the thread', ours: true },
  FILE_URL_INVALID: { status: 403, when: 'The address of a file is not signed by Parley, or has expired', ours: true },
  PERMISSION_DENIED: {
    status: 403,
    when: 'The API key or operator lacks the scope or the platform permission, or may not do so from here',
  },
  INSUFFICIENT_PERMISSIONS: { status: 403, when: 'The caller lacks the role that this needs' },
  USER_BLOCKED: { status: 403, when: 'The user is banned in the room, or blocked by the other user', ours: true },
  USER_BANNED: { status: 403, when: 'The user is banned from the app', ours: true },
  ROOM_FROZEN: { status: 403, when: 'The room has status 0: sends are refused', ours: true },
  DIRECTORY_OFF: { status: 403, when: 'The app does not let its users do so', ours: true },
  MESSAGE_REFUSED: { status: 403, when: 'The moderation of the app refused the message', ours: true },
  ROOM_CLOSED: { status: 403, when: 'The room is closed to joining and invitations', ours: true },
  NOT_FOUND: { status: 404, when: 'Unknown path', ours: true },
  UNKNOWN_EVENT: { status: 404, when: 'A socket emitted an unknown event', ours: true },
  ROOM_NOT_FOUND: { status: 404, when: 'Room does not exist' },
  CLIENT_NOT_FOUND: { status: 404, when: 'User does not exist' },
  TOKEN_NOT_FOUND: { status: 404, when: 'Token not held by the client' },
  CONFIG_NOT_FOUND: { status: 404, when: 'Config key does not exist' },
  BLOCK_NOT_FOUND: { status: 404, when: 'No ban or block exists for the user' },
  ROOM_OR_USER_NOT_FOUND: { status: 404, when: 'Ban target room or user missing' },
  MESSAGE_NOT_FOUND: { status: 404, when: 'Message does not exist in the room', ours: true },
  INVITATION_NOT_FOUND: { status: 404, when: 'No invitation to the room is open for the user', ours: true },
  PREF_NOT_FOUND: { status: 404, when: 'Preference key does not exist', ours: true },
  HOLD_NOT_FOUND: { status: 404, when: 'No legal hold with this ID', ours: true },
  JOB_NOT_FOUND: {
    status: 404,
    when: 'No job of the app has this ID; one is kept for 7 days after its end',
    ours: true,
  },
  WEBHOOK_NOT_FOUND: { status: 404, when: 'No webhook delivery has this ID that could be made again', ours: true },
  SCHEDULED_NOT_FOUND: { status: 404, when: 'No message of this ID waits to be sent, or it is being sent', ours: true },
  FILE_NOT_FOUND: {
    status: 404,
    when: 'The app has no such file, it is gone, or the caller may not see it',
    ours: true,
  },
  API_KEY_NOT_FOUND: { status: 404, when: 'No API key of the app in force has this ID', ours: true },
  OPERATOR_NOT_FOUND: { status: 404, when: 'No operator that the caller may see has this ID', ours: true },
  SESSION_NOT_FOUND: { status: 404, when: 'The operator has no session of this ID', ours: true },
  REPORT_NOT_FOUND: { status: 404, when: 'No report of the app has this ID', ours: true },
  METHOD_NOT_ALLOWED: { status: 405, when: 'The path does not take this method; see Allow', ours: true },
  REQUEST_TIMEOUT: { status: 408, when: 'The request did not arrive whole within 30 s', ours: true },
  USER_ALREADY_BLOCKED: { status: 409, when: 'User already banned in the room, or blocked' },
  USER_EXISTS: { status: 409, when: 'Assign-token create for an existing _id, or the ID is that of a user or group' },
  CONFLICT: { status: 409, when: 'Something of the same name exists already; nothing was changed', ours: true },
  TOO_MANY_SCHEDULED: { status: 409, when: 'The user’s schedule limit is reached', ours: true },
  TOO_MANY_SAVED: { status: 409, when: 'The user’s limit of reminders or bookmarks is reached', ours: true },
  TOO_MANY_HOLDS: { status: 409, when: 'The app has as many legal holds as it may have', ours: true },
  UNDER_HOLD: { status: 409, when: 'A legal hold keeps what the request would erase', ours: true },
  TOO_MANY_KEYS: { status: 409, when: 'The app has as many API keys in force as it may have', ours: true },
  TOO_MANY_PREFS: { status: 409, when: 'The user’s limit of preferences is reached', ours: true },
  FILE_UPLOADED: { status: 409, when: 'The file has its content already', ours: true },
  UPLOAD_REPLACED: { status: 409, when: 'A newer upload of the file has begun, and ended this one', ours: true },
  FILE_TYPE_MISMATCH: { status: 409, when: 'The first bytes of the file are not those of its type', ours: true },
  FILES_FULL: { status: 409, when: 'The user’s quota of files is used up', ours: true },
  REPORT_DECIDED: { status: 409, when: 'The report was decided otherwise', ours: true },
  ROOM_EXISTS: { status: 409, when: 'Another room has this _id, or had it before it was deleted', ours: true },
  ROOM_IMPORTING: {
    status: 409,
    when: 'The messages of the room are being imported: it takes none until the import has ended',
    ours: true,
  },
  CURSOR_GONE: { status: 410, when: 'The cursor is older than the oldest event that is kept', ours: true },
  MESSAGE_TOO_LARGE: { status: 413, when: 'message is over 64 KiB', ours: true },
  BODY_TOO_LARGE: {
    status: 413,
    when: 'The request body is over 1 MiB, or the configuration would be over 4 MiB in all',
    ours: true,
  },
  FILE_TOO_LARGE: { status: 413, when: 'The file is larger than files may be, or than was announced', ours: true },
  RESULT_TOO_LARGE: {
    status: 413,
    when: 'Result too large: narrow the query, lower limit, or ask about a smaller room',
  },
  URI_TOO_LONG: { status: 414, when: 'The path and query are over 24 KiB', ours: true },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    when: 'The request body is compressed, or its content type is not JSON',
    ours: true,
  },
  TOO_MANY_REQUESTS: { status: 429, when: 'Rate limit reached; see Retry-After', ours: true },
  SLOW_MODE: {
    status: 429,
    when: 'The room has a slow mode, and the sender sent a moment ago; see Retry-After',
    ours: true,
  },
  HEADERS_TOO_LARGE: { status: 431, when: 'The head of the request is over 32 KiB', ours: true },
  INTERNAL_ERROR: { status: 500, when: 'Something unforeseen happened', ours: true },
  SERVICE_UNAVAILABLE: { status: 503, when: 'A dependency is away; try again', ours: true },
  OVERLOADED: {
    status: 503,
    when: 'The gateway gets more requests than it can serve; try again after Retry-After',
    ours: true,
  },
  STORAGE_FULL: { status: 507, when: 'The folder of files has too little space left', ours: true },
} as const satisfies Record<string, { status: number; when: string; ours?: true }>

export type ErrorCode = keyof typeof errorCatalogue

/** Fields of an error beside its code and message. */
export interface ErrorDetails {
  /** Of CURSOR_GONE: the oldest cursor from which events are kept. */
  oldest?: string
  /** Of SLOW_MODE and TOO_MANY_REQUESTS: when to try again, in milliseconds from now. */
  retryAfterMS?: number
}
type ApiErrorOptions = ErrorOptions & { details?: ErrorDetails }

/** The error that use cases throw, and that REST and sockets return as the error envelope. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  /** Details of the error beside its code and message. */
  readonly details: ErrorDetails

  /** @param message a sentence for the integrator: names the field and the expectation, and holds no secret. */
  constructor(code: ErrorCode, message: string = errorCatalogue[code].when, options: ApiErrorOptions = {}) {
    super(message, options)
    this.name = 'ApiError'
    this.code = code
    this.status = errorCatalogue[code].status
    this.details = options.details ?? {}
  }
}
