/** Every error with its HTTP status and cause (docs/errors.md has the remedies). `ours`: beyond the interface. */
export const errorCatalogue = {
  INVALID_TAGS: { status: 400, when: 'tags is not an array of strings' },
  INVALID_QUERY: { status: 400, when: 'A query parameter or the filter q has bad syntax' },
  INVALID_BODY: { status: 400, when: 'The body is not valid JSON, or not a JSON object' },
  ROOM_NOT_MUTED: { status: 400, when: "The room is not in the user's mute list" },
  MISSING_PARAMETER: { status: 400, when: 'A required field is missing' },
  INVALID_USER_ID: { status: 400, when: 'The user ID to unban is invalid' },
  INVALID_REQUEST: { status: 400, when: 'A field has the wrong type or value, or is unknown' },
  INVALID_ENCODING: { status: 400, when: 'conf names an unknown encoding', ours: true },
  INVALID_TOKEN: { status: 401, when: 'Client token invalid or expired' },
  INVALID_CLIENT_KEY: { status: 401, when: 'Client key missing or wrong', ours: true },
  INVALID_API_KEY: { status: 401, when: 'API key missing or invalid' },
  INVALID_SESSION: { status: 401, when: 'The operator is not signed in, or the session has ended', ours: true },
  SIGN_IN_FAILED: { status: 401, when: 'The e-mail, password, code or link is wrong', ours: true },
  TOTP_REQUIRED: { status: 401, when: 'Signing in also needs an authenticator code', ours: true },
  UNAUTHORIZED: { status: 401, when: 'API key missing or invalid, in the bare error form' },
  NOT_ROOM_MEMBER: { status: 403, when: 'The user is not a member of the room' },
  NOT_IN_THREAD: { status: 403, when: 'The user does not participate in the thread', ours: true },
  FILE_URL_INVALID: { status: 403, when: 'The file URL has an invalid signature or has expired', ours: true },
  PERMISSION_DENIED: {
    status: 403,
    when: 'The API key or operator lacks the scope or platform permission, or may not be used from here',
  },
  INSUFFICIENT_PERMISSIONS: { status: 403, when: 'The caller lacks the required role' },
  USER_BLOCKED: { status: 403, when: 'The user is banned in the room, or blocked by the other user', ours: true },
  USER_BANNED: { status: 403, when: 'The user is banned from the app', ours: true },
  ROOM_FROZEN: { status: 403, when: 'The room is frozen (status 0)', ours: true },
  DIRECTORY_OFF: { status: 403, when: 'The app does not let users search for others or start chats', ours: true },
  MESSAGE_REFUSED: { status: 403, when: 'The app’s moderation refused the message', ours: true },
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
  INVITATION_NOT_FOUND: { status: 404, when: 'The user has no open invitation to the room', ours: true },
  PREF_NOT_FOUND: { status: 404, when: 'Preference key does not exist', ours: true },
  HOLD_NOT_FOUND: { status: 404, when: 'No legal hold with this ID', ours: true },
  JOB_NOT_FOUND: {
    status: 404,
    when: 'No job has this ID; jobs are kept for 7 days after they end',
    ours: true,
  },
  WEBHOOK_NOT_FOUND: { status: 404, when: 'No webhook call or receiver has this ID', ours: true },
  SCHEDULED_NOT_FOUND: { status: 404, when: 'No scheduled message has this ID, or it is being sent', ours: true },
  FILE_NOT_FOUND: {
    status: 404,
    when: 'The file does not exist, or the caller may not access it',
    ours: true,
  },
  API_KEY_NOT_FOUND: { status: 404, when: 'No active API key has this ID', ours: true },
  OPERATOR_NOT_FOUND: { status: 404, when: 'No operator visible to the caller has this ID', ours: true },
  SESSION_NOT_FOUND: { status: 404, when: 'The operator has no session with this ID', ours: true },
  REPORT_NOT_FOUND: { status: 404, when: 'No report has this ID', ours: true },
  METHOD_NOT_ALLOWED: { status: 405, when: 'The path does not support this method; see Allow', ours: true },
  REQUEST_TIMEOUT: { status: 408, when: 'The complete request did not arrive within 30 s', ours: true },
  USER_ALREADY_BLOCKED: { status: 409, when: 'User already banned in the room, or blocked' },
  USER_EXISTS: { status: 409, when: 'The ID belongs to an existing user or user group' },
  CONFLICT: { status: 409, when: 'Conflict with the current state; nothing was changed', ours: true },
  TOO_MANY_SCHEDULED: { status: 409, when: 'The user’s schedule limit is reached', ours: true },
  TOO_MANY_SAVED: { status: 409, when: 'The user’s limit of reminders or bookmarks is reached', ours: true },
  TOO_MANY_HOLDS: { status: 409, when: 'The app’s limit of legal holds is reached', ours: true },
  UNDER_HOLD: { status: 409, when: 'A legal hold covers data that the request would erase', ours: true },
  TOO_MANY_KEYS: { status: 409, when: 'The app’s limit of active API keys is reached', ours: true },
  TOO_MANY_PREFS: { status: 409, when: 'The user’s limit of preferences is reached', ours: true },
  FILE_UPLOADED: { status: 409, when: 'The file is already uploaded', ours: true },
  UPLOAD_REPLACED: { status: 409, when: 'A newer upload of the file replaced this one', ours: true },
  FILE_TYPE_MISMATCH: { status: 409, when: 'The content of the file does not match its type', ours: true },
  FILES_FULL: { status: 409, when: 'The user’s file quota is used up', ours: true },
  REPORT_DECIDED: { status: 409, when: 'The report has a different decision', ours: true },
  ROOM_EXISTS: { status: 409, when: 'The _id belongs to another room or to a deleted one', ours: true },
  ROOM_IMPORTING: {
    status: 409,
    when: 'Messages are being imported into the room; sends are refused until the import ends',
    ours: true,
  },
  CURSOR_GONE: { status: 410, when: 'The cursor is older than the oldest retained event', ours: true },
  MESSAGE_TOO_LARGE: { status: 413, when: 'message is over 64 KiB', ours: true },
  BODY_TOO_LARGE: {
    status: 413,
    when: 'The request body is over 1 MiB, or the configuration would exceed 4 MiB in total',
    ours: true,
  },
  FILE_TOO_LARGE: { status: 413, when: 'The file exceeds the size limit or its announced size', ours: true },
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
    when: 'The room is in slow mode, and the sender must wait; see Retry-After',
    ours: true,
  },
  HEADERS_TOO_LARGE: { status: 431, when: 'The request headers are over 32 KiB', ours: true },
  INTERNAL_ERROR: { status: 500, when: 'Unexpected server error', ours: true },
  SERVICE_UNAVAILABLE: { status: 503, when: 'A dependency is unavailable; retry', ours: true },
  OVERLOADED: {
    status: 503,
    when: 'The gateway is overloaded; retry after Retry-After',
    ours: true,
  },
  STORAGE_FULL: { status: 507, when: 'The file storage has too little space left', ours: true },
} as const satisfies Record<string, { status: number; when: string; ours?: true }>

export type ErrorCode = keyof typeof errorCatalogue

/** Fields of an error besides its code and message. */
export interface ErrorDetails {
  /** With CURSOR_GONE: the oldest available cursor. */
  oldest?: string
  /** With SLOW_MODE and TOO_MANY_REQUESTS: milliseconds to wait before a retry. */
  retryAfterMS?: number
}
type ApiErrorOptions = ErrorOptions & { details?: ErrorDetails }

/** The error that use cases throw. REST and sockets return it as the error envelope. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetails

  /** @param message for the integrator: names the field and what is expected, and contains no secrets */
  constructor(code: ErrorCode, message: string = errorCatalogue[code].when, options: ApiErrorOptions = {}) {
    super(message, options)
    this.name = 'ApiError'
    this.code = code
    this.status = errorCatalogue[code].status
    this.details = options.details ?? {}
  }
}

/** The error for a caller who exceeds a limit on `what`, such as "uploads". */
export function tooManyOf(what: string, retryAfterMS: number): ApiError {
  const message = `too many ${what}: try again in ${Math.ceil(retryAfterMS / 1_000)} s`
  return new ApiError('TOO_MANY_REQUESTS', message, { details: { retryAfterMS } })
}
