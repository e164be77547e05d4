import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import type { JobsSearch } from './search.ts'

export function jobsQuery(app: string, api: Api, { state, kind, from, to, cursor }: JobsSearch) {
  const given = Object.entries({ state, kind, since: from, until: to, cursor }).filter(
    ([, value]) => value !== undefined,
  )
  return queryOptions({
    queryKey: [app, 'jobs', given],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/jobs', { params: { query: Object.fromEntries(given) }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 2_000,
  })
}
