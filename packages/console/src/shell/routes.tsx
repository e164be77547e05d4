import {
  createRootRouteWithContext,
  createRoute,
  type ErrorComponentProps,
  lazyRouteComponent,
  Navigate,
  Outlet,
  useMatches,
  useRouter,
} from '@tanstack/react-router'
import { Activity, useEffect, useState } from 'react'
import { Page } from '../components/page.tsx'
import { Empty, Failure, Loading } from '../components/states.tsx'
import type { RouterContext } from '../session/prefetch.ts'
import { AppProvider, SessionProvider, useSession, useSessionQuery } from '../session/session.tsx'
import { useTexts } from '../texts/texts.ts'
import { Denied } from './denied.tsx'
import { linkToken } from './link-token.ts'
import { maySee, viewAt } from './navigation.ts'
import { isForSignIn, takeAddress } from './return-address.ts'
import { shellTexts } from './texts.ts'

const SignIn = lazyRouteComponent(() => import('./sign-in.tsx'), 'SignIn')
const Shell = lazyRouteComponent(() => import('./shell.tsx'), 'Shell')

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Root,
  errorComponent: Broken,
})

/** Parent of all views with the navigation. */
export const shellRoute = createRoute({ getParentRoute: () => rootRoute, id: 'shell', component: Shell })

/** Parent of all views of one app. */
export const appRoute = createRoute({ getParentRoute: () => shellRoute, path: 'apps/$app', component: App })

/** An app's address without a view leads to its overview. */
export const appIndexRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: () => <Navigate to="/apps/$app/overview" params={{ app: appRoute.useParams().app }} replace />,
})

/** Any other address, with the navigation. */
export const unknownRoute = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NotFound })
export const unknownInAppRoute = createRoute({ getParentRoute: () => appRoute, path: '$', component: NotFound })

export const indexRoute = createRoute({ getParentRoute: () => rootRoute, path: '/', component: Start })

/**
 * Shows the sign-in screen in place of any view, so that the URL stays the same. The view of a session that has ended is
 * hidden, and comes back as it was if the same operator signs in.
 */
function Root() {
  const query = useSessionQuery()
  const failure = query.isError && (
    <main className="alone">
      <Failure error={query.error} retry={() => void query.refetch()} />
    </main>
  )
  if (query.data === undefined) {
    return (
      failure || (
        <main className="alone">
          <Loading />
        </main>
      )
    )
  }
  if (!failure && (query.data === null || linkToken.present)) return <SignIn />
  if (query.data === null) return failure
  const { session, hasEnded } = query.data
  return (
    <>
      {failure || (hasEnded && <SignIn isWaiting />)}
      <Activity mode={hasEnded || failure ? 'hidden' : 'visible'} key={session.operator.id}>
        <SessionProvider session={session}>
          <Outlet />
        </SessionProvider>
      </Activity>
    </>
  )
}

function App() {
  const { app } = appRoute.useParams()
  const t = useTexts(shellTexts)
  const { session } = useSession()
  const view = useMatches({ select: (matches) => viewAt(matches.at(-1)?.fullPath ?? '') })
  if (!session.apps.some((each) => each.app === app)) {
    return (
      <Empty icon="warning" title={t.noSuchApp}>
        {t.noSuchAppHint}
      </Empty>
    )
  }
  return (
    <AppProvider app={app} key={app}>
      {view && !maySee(session, app, view) ? (
        <Page title={t[view.name]}>
          <Denied needs={view.needs} />
        </Page>
      ) : (
        <Outlet />
      )}
    </AppProvider>
  )
}

function Start() {
  return isForSignIn() ? <SignedIn /> : <FirstView />
}

/** Closes a tab that was opened for signing in, if the browser still allows it. */
function SignedIn() {
  const t = useTexts(shellTexts)
  useEffect(() => close(), [])
  return (
    <main className="alone">
      <Empty icon="check" title={t.signedIn}>
        {t.signedInHint}
      </Empty>
    </main>
  )
}

function FirstView() {
  const { session } = useSession()
  const t = useTexts(shellTexts)
  const router = useRouter()
  const [address] = useState(takeAddress)
  useEffect(() => {
    if (address !== undefined) router.history.replace(address.slice(location.origin.length))
  }, [address, router])
  const [first] = session.apps
  if (address !== undefined) return <Loading />
  if (first) return <Navigate to="/apps/$app/overview" params={{ app: first.app }} replace />
  return (
    <main className="alone">
      <Empty icon="apps" title={t.noApps}>
        {t.noAppsHint}
      </Empty>
    </main>
  )
}

function NotFound() {
  const t = useTexts(shellTexts)
  return (
    <Empty icon="search" title={t.noSuchView}>
      {t.noSuchViewHint}
    </Empty>
  )
}

/** A view that failed, within the navigation. */
export function BrokenView({ error }: ErrorComponentProps) {
  return <Failure error={error} retry={() => location.reload()} />
}

function Broken(props: ErrorComponentProps) {
  return (
    <main className="alone">
      <BrokenView {...props} />
    </main>
  )
}
