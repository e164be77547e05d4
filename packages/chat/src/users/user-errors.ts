import { ApiError } from '@parley/contracts/errors'

/** The error for IDs without a user. @param field name of the request field */
export function unknownUser(field: string, ...ids: string[]): ApiError {
  return new ApiError('CLIENT_NOT_FOUND', `${field}: no user ${quoted(ids)}`)
}

/** The error for users with IDs of user groups. @param field name of the request field */
export function takenByGroup(field: string, ...ids: string[]): ApiError {
  return new ApiError('USER_EXISTS', `${field}: taken by a user group: ${quoted(ids)}`)
}

/** The error for an ID whose erased user may still be in rooms. */
export function takenWhileErasing(field: string, id: string, job: string): ApiError {
  return new ApiError('USER_EXISTS', `${field}: ${JSON.stringify(id)} is still being erased, by the job ${job}`)
}

/** The error for tokens of a banned user and for writes on their behalf. */
export function bannedFromApp(id: string): ApiError {
  return new ApiError('USER_BANNED', `the user ${JSON.stringify(id)} is banned from the app`)
}

function quoted(ids: readonly string[]): string {
  return ids.map((id) => JSON.stringify(id)).join(', ')
}
