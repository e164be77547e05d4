import { skipToken, useQuery, useQueryClient } from '@tanstack/react-query'
import { useApp } from '../../session/session.tsx'

/** The key that the explorer calls with, and a function that sets it: while this tab is open, until another operator signs in. */
export function useExplorerKey(): [string, (apiKey: string) => void] {
  const { app } = useApp()
  const queries = useQueryClient()
  const queryKey = [app, 'explorer key']
  // In the query cache, which is cleared with the session's data.
  const { data = '' } = useQuery<string>({
    queryKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  })
  return [data, (apiKey) => queries.setQueryData(queryKey, apiKey)]
}
