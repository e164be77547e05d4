import { ApiError } from '@parley/contracts/errors'

/**
 * The filter `q` of GET /admin/clients as a filter of the users collection.
 * @throws ApiError INVALID_QUERY
 */
export function parseUserFilter(_q: string): Record<string, unknown> {
  throw new ApiError('INVALID_QUERY', 'q: filters are not built yet')
}
