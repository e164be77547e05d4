import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'

/** Figures, processes and alerts of an app. */
export function overviewQuery(app: string, api: Api) {
  return queryOptions({
    queryKey: [app, 'overview'],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/overview', { signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
}
