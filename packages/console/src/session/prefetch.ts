import type { QueryClient } from '@tanstack/react-query'
import { type Api, createApi } from '../api.ts'
import { isSignedIn, setSession } from './session.tsx'

/** Where a route's loader puts the answers of its calls. */
export interface RouterContext {
  queries: QueryClient
}

/**
 * Starts the first call of a view as soon as its address is known, while its code and the session still load. The view shows
 * how the call ended; one that failed, it makes again.
 */
export function prefetch(queries: QueryClient, app: string, start: (api: Api) => Promise<unknown>): void {
  const hadSession = isSignedIn(queries)
  const onSessionEnd = () => {
    // Without one the sign-in screen is shown anyway, and may have led to a session since.
    if (hadSession) setSession(queries, null)
  }
  void start(createApi({ app, onSessionEnd }))
}
