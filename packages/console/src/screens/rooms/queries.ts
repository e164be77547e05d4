import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import { firstSort, type RoomsSearch } from './searches.ts'

export function roomsQuery(app: string, api: Api, search: RoomsSearch) {
  const { q: text, sort = firstSort, cursor } = search
  const q = filterOf(search)
  return queryOptions({
    queryKey: [app, 'rooms', q, text, sort, cursor],
    queryFn: ({ signal }) =>
      resultOf(
        api.GET('/admin/rooms', {
          params: {
            query: {
              limit: 50,
              ...(q && { q }),
              ...(text ? { search: text } : { sort, ...(cursor && { cursor }) }),
            },
          },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
}

/** The filter `q` of GET /admin/rooms; undefined for all rooms. */
export function filterOf({ type, state, tag }: RoomsSearch): string | undefined {
  const all = [
    ...(type === undefined ? [] : [{ roomType: type }]),
    ...(state === undefined ? [] : [{ status: state === 'active' ? 1 : 0 }]),
    ...(tag === undefined ? [] : [{ roomTags: tag }]),
  ]
  return all.length === 0 ? undefined : JSON.stringify(all.length === 1 ? all[0] : { $and: all })
}

export function roomQuery(app: string, api: Api, id: string) {
  return queryOptions({
    queryKey: [app, 'room', id],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/rooms/{id}', { params: { path: { id } }, signal })),
    refetchInterval: 30_000,
  })
}

export const bansPerPage = 20

/** A page of the active bans in a room and the first one after it, oldest first. */
export function bansQuery(app: string, api: Api, id: string, skip: number) {
  return queryOptions({
    queryKey: [app, 'bans', id, skip],
    queryFn: ({ signal }) => {
      const params = { path: { id }, query: { skip, limit: bansPerPage + 1 } }
      return resultOf(api.GET('/admin/rooms/{id}/bans', { params, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

/** The members of a room, 50 per page. */
export function membersQuery(app: string, api: Api, id: string) {
  return infiniteQueryOptions({
    queryKey: [app, 'members', id],
    queryFn: ({ pageParam, signal }) =>
      resultOf(
        api.GET('/admin/rooms/{id}/members', {
          params: { path: { id }, query: { limit: 50, ...(pageParam && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  })
}
