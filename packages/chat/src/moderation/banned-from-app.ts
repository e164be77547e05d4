import { ApiError } from '@parley/contracts/errors'

/** The error for tokens of a banned user and for writes on their behalf. */
export function bannedFromApp(id: string): ApiError {
  return new ApiError('USER_BANNED', `the user ${JSON.stringify(id)} is banned from the app`)
}
