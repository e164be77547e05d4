import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'

/** A page of the operators, by e-mail. */
export function operatorsQuery(api: Api, cursor: string | undefined) {
  return queryOptions({
    queryKey: ['operators', cursor],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/operators', { params: { query: { ...(cursor !== undefined && { cursor }) } }, signal })),
    placeholderData: keepPreviousData,
  })
}
