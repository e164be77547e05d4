import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import type { DeliverySearch } from './search.ts'

export function callsQuery(app: string, api: Api, { room, from, to, cursor }: DeliverySearch) {
  const given = Object.entries({ room, since: from, until: to, cursor }).filter(([, value]) => value !== undefined)
  return queryOptions({
    queryKey: [app, 'calls', given],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/webhooks/calls', { params: { query: Object.fromEntries(given) }, signal })),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  })
}

export function devicesQuery(app: string, api: Api, { user, cursor }: DeliverySearch) {
  const given = Object.entries({ client: user, cursor }).filter(([, value]) => value !== undefined)
  return queryOptions({
    queryKey: [app, 'push devices', given],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/push/devices', { params: { query: Object.fromEntries(given) }, signal })),
    placeholderData: keepPreviousData,
  })
}
