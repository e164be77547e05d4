import { useQuery } from '@tanstack/react-query'
import { resultOf } from '../api.ts'
import { useChanged } from '../components/act.tsx'
import { useApp } from './session.tsx'

/** The app's configuration by key. */
export function useConfig() {
  const { app, api } = useApp()
  return useQuery({
    queryKey: [app, 'config'],
    queryFn: async ({ signal }) =>
      (await resultOf(api.GET('/config', { signal }))) as Readonly<Record<string, unknown>>,
  })
}

/** Returns a function that saves configuration keys. Null disables a key. */
export function useSaveConfig(): (keys: Readonly<Record<string, unknown>>) => Promise<void> {
  const { api } = useApp()
  const changed = useChanged()
  return async (keys) => {
    // The body's type excludes some keys, but does not describe values.
    const body = keys as object
    await resultOf(api.POST('/config', { body }))
    await changed()
  }
}
