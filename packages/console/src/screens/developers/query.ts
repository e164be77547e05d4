import { queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'

export function keysQuery(app: string, api: Api) {
  return queryOptions({
    queryKey: [app, 'keys'],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/keys', { params: { query: {} }, signal })),
  })
}
