import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Api, dataOf, resultOf, unanswered } from '../api.ts'
import { useChanged } from '../components/act.tsx'
import { parseExact } from '../components/exact-json.ts'
import { useApp } from './session.tsx'

export type Config = Readonly<Record<string, unknown>>

/** The configuration with its numbers as written, as an integrator may store larger ones than JavaScript has. */
export function configQuery(app: string, api: Api) {
  return queryOptions({
    queryKey: [app, 'config'],
    queryFn: async ({ signal }) => {
      const text = await dataOf(api.GET('/config', { parseAs: 'text', signal }))
      try {
        return (parseExact(text) as { result: Config }).result
      } catch (error) {
        throw unanswered(error)
      }
    },
    // It would copy raw numbers as objects.
    structuralSharing: false,
  })
}

export function useConfig() {
  const { app, api } = useApp()
  return useQuery(configQuery(app, api))
}

/** Returns a function that saves the keys that `change` makes of the latest configuration. Null disables a key. */
export function useSaveConfig(): (change: (latest: Config) => Config) => Promise<void> {
  const { app, api } = useApp()
  const queries = useQueryClient()
  const changed = useChanged()
  return async (change) => {
    const latest = await queries.fetchQuery({ ...configQuery(app, api), staleTime: 0 })
    // The body's type excludes some keys, but does not describe values.
    const body = change(latest) as object
    await resultOf(api.POST('/config', { body }))
    await changed()
  }
}
