import { ApiError } from '@parley/contracts/errors'

/** The error for users with IDs of user groups. @param field name of the request field */
export function takenByGroup(field: string, ...ids: string[]): ApiError {
  const shown = ids.map((id) => JSON.stringify(id)).join(', ')
  return new ApiError('USER_EXISTS', `${field}: taken by a user group: ${shown}`)
}

/** The error for an ID whose erased user may still be in rooms. */
export function takenWhileErasing(field: string, id: string, job: string): ApiError {
  return new ApiError('USER_EXISTS', `${field}: ${JSON.stringify(id)} is still being erased, by the job ${job}`)
}
