import { infiniteQueryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import type { TimelineSearch } from './search.ts'

/** The entries of a user, device or room, latest first. */
export function timelineQuery(app: string, api: Api, search: TimelineSearch) {
  const given = Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as {
    [Name in keyof TimelineSearch]: string
  }
  return infiniteQueryOptions({
    queryKey: [app, 'timeline', search],
    queryFn: ({ pageParam, signal }) =>
      resultOf(api.GET('/admin/timeline', { params: { query: { ...given, ...pageParam } }, signal })),
    initialPageParam: {},
    getNextPageParam: ({ cursor }) => (cursor === undefined ? undefined : { cursor }),
  })
}
