import { useQueries } from '@tanstack/react-query'
import { type Api, resultOf } from '../api.ts'
import { useApp } from '../session/session.tsx'

/** The most IDs in a filter of either list. */
const most = 100

export type Names = ReadonlyMap<string, string | undefined>

const readers = {
  users: {
    operation: 'GET /admin/clients',
    read: async (api: Api, q: string, signal: AbortSignal) => {
      const query = { q, limit: most }
      const { data } = await resultOf(api.GET('/admin/clients', { params: { query }, signal }))
      return data.map(({ _id, nickname }) => [_id, nickname] as const)
    },
  },
  rooms: {
    operation: 'GET /admin/rooms',
    read: async (api: Api, q: string, signal: AbortSignal) => {
      const query = { q, limit: most }
      const { data } = await resultOf(api.GET('/admin/rooms', { params: { query }, signal }))
      return data.map(({ _id, name }) => [_id, name] as const)
    },
  },
} as const

/** Names of the users or rooms on each page of a list, by ID, as far as they exist and the operator's role may read them. */
export function useNames(of: keyof typeof readers, pages: readonly (readonly string[])[]): Names {
  const { app, api, may } = useApp()
  const { operation, read } = readers[of]
  return useQueries({
    queries: pages.flatMap(inFilters).map((ids) => ({
      queryKey: [app, 'names', of, ids],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(api, JSON.stringify({ _id: { $in: ids } }), signal),
      enabled: may(operation),
    })),
    combine: (results) => new Map(results.flatMap(({ data = [] }) => data)),
  })
}

function inFilters(page: readonly string[]): string[][] {
  const ids = [...new Set(page)].toSorted()
  return Array.from({ length: Math.ceil(ids.length / most) }, (_, at) => ids.slice(at * most, (at + 1) * most))
}
