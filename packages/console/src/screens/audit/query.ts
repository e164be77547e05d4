import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import type { AuditSearch } from './search.ts'

export function auditQuery(app: string, api: Api, { from, to, ...same }: AuditSearch) {
  const given = Object.entries({ ...same, since: from, until: to }).filter(([, value]) => value !== undefined)
  return queryOptions({
    queryKey: [app, 'audit', given],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/audit', { params: { query: Object.fromEntries(given) }, signal })),
    placeholderData: keepPreviousData,
  })
}
