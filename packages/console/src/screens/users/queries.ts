import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import type { UsersSearch } from './search.ts'

export const mostFound = 50

/** The users of a list, or those whose name or ID starts with `q`, without pages: `hasMore` tells of others. */
export function usersQuery(app: string, api: Api, { q, list, from, to, cursor }: UsersSearch) {
  const asked = q === undefined ? { list, since: from, until: to, cursor } : { q, limit: mostFound + 1 }
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  return queryOptions({
    queryKey: [app, 'users', given],
    queryFn: async ({ signal }) => {
      const params = { query: Object.fromEntries(given) }
      const { data, ...page } = await resultOf(api.GET('/admin/users', { params, signal }))
      return { ...page, data: data.slice(0, mostFound), hasMore: data.length > mostFound }
    },
    placeholderData: keepPreviousData,
  })
}

/** Everything known about a user. */
export function userQuery(app: string, api: Api, user: string) {
  return queryOptions({
    queryKey: [app, 'user', user],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/clients/{client_id}', { params: { path: { client_id: user } }, signal })),
    // Connections change.
    refetchInterval: 15_000,
  })
}

export const roomsPerPage = 10

/** A page of a user's rooms, by latest message. */
export function roomsOfUserQuery(app: string, api: Api, user: string, skip: number) {
  return queryOptions({
    queryKey: [app, 'rooms of user', user, skip],
    queryFn: ({ signal }) =>
      resultOf(
        api.GET('/admin/clients/{client_id}/rooms', {
          params: { path: { client_id: user }, query: { skip, limit: roomsPerPage } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
}
