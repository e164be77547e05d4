import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'

export function hookQuery(app: string, api: Api) {
  return queryOptions({
    queryKey: [app, 'moderation'],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/moderation', { signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 5_000,
  })
}
