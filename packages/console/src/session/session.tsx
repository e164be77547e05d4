import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useMemo } from 'react'
import type { components } from '../../generated/openapi.ts'
import { scopes, scopesByKind } from '../../generated/scopes.ts'
import { type Api, ApiFailure, createApi, resultOf } from '../api.ts'

export type Session = components['schemas']['OperatorSession']
type KeyScope = components['schemas']['KeyScope']
/** An API-key operation, such as `DELETE /rooms/{id}`. Operators with its scope may call it. */
export type Operation = Exclude<keyof typeof scopes, keyof ScopesByKind>
type ScopesByKind = typeof scopesByKind
const readersOf: Record<keyof ScopesByKind, Readonly<Record<string, readonly KeyScope[]>>> = scopesByKind

const sessionKey = ['session'] as const

interface SignedIn {
  session: Session
  /** The operator's own calls, without an app. */
  api: Api
  /** Calls in an app. Those that read conversations need a reason. */
  apiOf: (app: string, reason?: string) => Api
  /** Shows the sign-in screen at the current URL, and clears the data. */
  end: () => void
}

/** The last session of this tab. Once it has ended, its view waits below the sign-in screen. */
interface Known {
  session: Session
  hasEnded: boolean
}

/** Tells the other tabs, which have the same cookie, that the session has changed: its CSRF token, or an empty string. */
const otherTabs = new BroadcastChannel('parley-console-session')

const SessionContext = createContext<SignedIn | undefined>(undefined)

export function useSession(): SignedIn {
  const signedIn = use(SessionContext)
  if (!signedIn) throw new Error('no session here')
  return signedIn
}

/** Requests the session while the rest of the console still loads, and whenever another tab changes it. */
export function startSession(queries: QueryClient): void {
  // An identity provider may have signed in here, while another tab waits.
  void queries.prefetchQuery(sessionQuery(queries)).then(() => tellOtherTabs(knownIn(queries)?.session))
  otherTabs.addEventListener('message', ({ data }) => {
    const known = knownIn(queries)
    if ((known && !known.hasEnded ? known.session.csrfToken : '') !== data)
      void queries.refetchQueries({ queryKey: sessionKey, exact: true })
  })
}

/** The session of the browser's cookie; null if there is none, and was none in this tab. */
export function useSessionQuery() {
  return useQuery(sessionQuery(useQueryClient()))
}

function sessionQuery(queries: QueryClient) {
  return queryOptions({
    queryKey: sessionKey,
    queryFn: async (): Promise<Known | null> => {
      const api = createApi({ onSessionEnd: () => {} })
      try {
        const session = await resultOf(api.GET('/operator/session'))
        clearOthersData(queries, session)
        return { session, hasEnded: false }
      } catch (error) {
        if (error instanceof ApiFailure && error.status === 401) return ended(knownIn(queries))
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })
}

const knownIn = (queries: QueryClient) => queries.getQueryData<Known | null>(sessionKey)
const ended = (known: Known | null | undefined): Known | null => (known ? { ...known, hasEnded: true } : null)

/** Whether a session is known; false while the first request is pending. */
export const isSignedIn = (queries: QueryClient): boolean => knownIn(queries)?.hasEnded === false

/** Sets a new or changed session. Null shows the sign-in screen and clears all cached data. */
export function setSession(queries: QueryClient, session: Session | null): void {
  const before = knownIn(queries)
  clearOthersData(queries, session)
  queries.setQueryData<Known | null>(sessionKey, session && { session, hasEnded: false })
  if (session?.csrfToken === before?.session.csrfToken && before?.hasEnded !== true) return
  tellOtherTabs(session)
}

function tellOtherTabs(session: Session | null | undefined): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
  otherTabs.postMessage(session?.csrfToken ?? '')
}

/** Shows the sign-in screen. The view stays below it, with all that has been typed. */
export function endSession(queries: QueryClient): void {
  queries.setQueryData<Known | null>(sessionKey, ended)
}

/** Clears the data of another operator's session; what failed without a session is read again. */
function clearOthersData(queries: QueryClient, session: Session | null): void {
  const before = knownIn(queries)?.session
  const predicate = ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== sessionKey[0]
  if (session === null || (before && before.operator.id !== session.operator.id)) queries.removeQueries({ predicate })
  else if (before && before.csrfToken !== session.csrfToken) void queries.invalidateQueries({ predicate })
}

export function SessionProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient()
  const signedIn = useMemo<SignedIn>(() => {
    const options = { csrfToken: session.csrfToken, onSessionEnd: () => endSession(queries) }
    const apis = new Map<string, Api>()
    return {
      session,
      end: () => setSession(queries, null),
      api: createApi(options),
      apiOf(app, reason) {
        const key = JSON.stringify([app, reason])
        const api = apis.get(key) ?? createApi({ ...options, app, ...(reason !== undefined && { reason }) })
        apis.set(key, api)
        return api
      },
    }
  }, [session, queries])
  return <SessionContext value={signedIn}>{children}</SessionContext>
}

/** Whether the operator may call an operation, or owns the app, or is not known yet. */
export function mayStart(queries: QueryClient, app: string, needs: Operation | 'owner'): boolean {
  const session = knownIn(queries)?.session
  return !session || (needs === 'owner' ? isOwner(session, app) : mayCall(session, app, needs))
}

/** Settles once the session is known, or that there is none. */
export const sessionKnown = (queries: QueryClient): Promise<void> => queries.prefetchQuery(sessionQuery(queries))

/** Whether the operator's role in an app has the scope of an operation. */
export function mayCall(session: Session, app: string, operation: Operation): boolean {
  return hasOneOf(session, app, [scopes[operation]])
}

export const scopeOf = (operation: Operation): KeyScope => scopes[operation]

export function isOwner(session: Session, app: string): boolean {
  return session.apps.some((each) => each.app === app && each.role === 'owner')
}

function hasOneOf(session: Session, app: string, needed: readonly KeyScope[]): boolean {
  const granted = session.apps.find((each) => each.app === app)?.scopes ?? []
  return needed.some((scope) => granted.includes(scope) || (scope !== 'platform' && granted.includes('all')))
}

interface CurrentApp {
  app: string
  api: Api
  /** Whether the operator's role has the scope of an operation. */
  may: (operation: Operation) => boolean
  /** Whether the operator's role has a scope, which a key that they add can have too. */
  has: (scope: KeyScope) => boolean
  /** Whether the operator's role has a scope of an operation for this kind, such as a job's. */
  mayByKind: <Name extends keyof ScopesByKind>(operation: Name, kind: keyof ScopesByKind[Name] & string) => boolean
}

const AppContext = createContext<CurrentApp | undefined>(undefined)

/** The URL's app, with its calls and the operator's permissions. */
export function useApp(): CurrentApp {
  const current = use(AppContext)
  if (!current) throw new Error('no app here')
  return current
}

export function AppProvider({ app, children }: { app: string; children: ReactNode }) {
  const { session, apiOf } = useSession()
  const current = useMemo<CurrentApp>(() => {
    return {
      app,
      api: apiOf(app),
      may: (operation) => mayCall(session, app, operation),
      has: (scope) => hasOneOf(session, app, [scope]),
      mayByKind: (operation, kind) => hasOneOf(session, app, readersOf[operation][kind] ?? []),
    }
  }, [app, session, apiOf])
  return <AppContext value={current}>{children}</AppContext>
}
