import { ApiError } from '@parley/contracts/errors'

/** The error for tokens of, and writes in the name of, a banned user. */
export function bannedFromApp(id: string): ApiError {
  return new ApiError('USER_BANNED', `the user ${JSON.stringify(id)} is banned from the app`)
}
