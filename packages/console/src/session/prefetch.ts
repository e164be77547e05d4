import type { QueryClient } from '@tanstack/react-query'
import { type Api, createApi } from '../api.ts'
import { endSession, isSignedIn, mayStart, type Operation } from './session.tsx'

/** The context of route loaders. */
export interface RouterContext {
  queries: QueryClient
}

/**
 * Starts a view's first calls as soon as its URL is known, while its code and the session still load, unless the operator
 * is known to lack the permission. The view shows the results, and retries failed calls.
 */
export function prefetch(
  queries: QueryClient,
  app: string,
  needs: Operation | 'owner',
  start: (api: Api) => Promise<unknown>,
): void {
  if (!mayStart(queries, app, needs)) return
  const hadSession = isSignedIn(queries)
  const onSessionEnd = () => {
    // Without a session, the sign-in screen is shown anyway, and may have created a session since.
    if (hadSession) endSession(queries)
  }
  void start(createApi({ app, onSessionEnd }))
}
