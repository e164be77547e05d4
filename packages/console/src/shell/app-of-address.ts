import { useParams, useRouter } from '@tanstack/react-router'
import { useSession } from '../session/session.tsx'
import { viewAt, viewsFor } from './navigation.ts'

/** The app in the URL, if any. */
export function useAppOfAddress(): string | undefined {
  return useParams({ strict: false }).app
}

/** Returns a function that goes to the same view of another app, or to the first that the operator may see there. */
export function useSwitchApp(): (app: string) => void {
  const { session } = useSession()
  const router = useRouter()
  return (app) => {
    const seen = viewsFor(session, app)
    const here = viewAt(router.state.matches.at(-1)?.fullPath ?? '')
    const same = seen.find((view) => view === here)
    const to = (same ?? seen[0])?.to ?? '/apps/$app/overview'
    const { tab } = router.state.location.search
    // Of the filters, none applies to another app. Each view reads its own tabs.
    void router.navigate({ to, params: { app }, search: (same && tab !== undefined ? { tab } : {}) as object })
  }
}
