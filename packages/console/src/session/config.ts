import { useQuery } from '@tanstack/react-query'
import { resultOf } from '../api.ts'
import { useChanged } from '../components/act.tsx'
import { useApp } from './session.tsx'

/** The configuration of the app, by key. */
export function useConfig() {
  const { app, api } = useApp()
  return useQuery({
    queryKey: [app, 'config'],
    queryFn: async ({ signal }) =>
      (await resultOf(api.GET('/config', { signal }))) as Readonly<Record<string, unknown>>,
  })
}

/** Saves some keys of the configuration; null ends what a key does. */
export function useSaveConfig(): (keys: Readonly<Record<string, unknown>>) => Promise<void> {
  const { api } = useApp()
  const changed = useChanged()
  return async (keys) => {
    // Its type says which keys there are not, but none of the values of others.
    const body = keys as object
    await resultOf(api.POST('/config', { body }))
    await changed()
  }
}
