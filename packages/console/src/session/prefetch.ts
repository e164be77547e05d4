import type { QueryClient } from '@tanstack/react-query'
import { type Api, createApi } from '../api.ts'
import { endSession, isSignedIn } from './session.tsx'

/** The context of route loaders. */
export interface RouterContext {
  queries: QueryClient
}

/**
 * Starts a view's first call as soon as its URL is known, while its code and the session still load. The view shows the
 * result, and retries a failed call.
 */
export function prefetch(queries: QueryClient, app: string, start: (api: Api) => Promise<unknown>): void {
  const hadSession = isSignedIn(queries)
  const onSessionEnd = () => {
    // Without a session, the sign-in screen is shown anyway, and may have created a session since.
    if (hadSession) endSession(queries)
  }
  void start(createApi({ app, onSessionEnd }))
}
