import { ApiError } from '@parley/contracts/errors'

/** A user cannot have the ID of a user group. @param field of the request */
export function takenByGroup(field: string, ...ids: string[]): ApiError {
  const shown = ids.map((id) => JSON.stringify(id)).join(', ')
  return new ApiError('USER_EXISTS', `${field}: ${shown}: the ID of a user group`)
}

/** An erased user of the ID may still be in rooms. */
export function takenWhileErasing(field: string, id: string, job: string): ApiError {
  return new ApiError('USER_EXISTS', `${field}: ${JSON.stringify(id)} is still being erased, by the job ${job}`)
}
