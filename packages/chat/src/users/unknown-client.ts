import { ApiError } from '@parley/contracts/errors'

export function unknownClient(id: string): ApiError {
  return new ApiError('CLIENT_NOT_FOUND', `no user ${JSON.stringify(id)}`)
}
