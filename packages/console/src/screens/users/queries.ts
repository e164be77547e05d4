import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import type { UsersSearch } from './search.ts'

/** The users of a list, or those whose name or ID begins with `q`: searches by name have no lists and no pages. */
export function usersQuery(app: string, api: Api, { q, list, from, to, cursor }: UsersSearch) {
  const asked = q === undefined ? { list, since: from, until: to, cursor } : { q }
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  return queryOptions({
    queryKey: [app, 'users', given],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/users', { params: { query: Object.fromEntries(given) }, signal })),
    placeholderData: keepPreviousData,
  })
}

/** Everything that is known of a user. */
export function userQuery(app: string, api: Api, user: string) {
  return queryOptions({
    queryKey: [app, 'user', user],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/clients/{client_id}', { params: { path: { client_id: user } }, signal })),
    placeholderData: keepPreviousData,
    // Connections come and go.
    refetchInterval: 15_000,
  })
}
