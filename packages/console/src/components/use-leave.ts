import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'

type Search = ReturnType<typeof useRouter>['state']['location']['search']

/**
 * Like `useNavigate`, after an action: does nothing if the operator has left the view while it ran.
 * @param isSame whether a search is still that of the view, if the path does not tell
 */
export function useLeave(isSame: (search: Search) => boolean = () => true): ReturnType<typeof useNavigate> {
  const navigate = useNavigate()
  const router = useRouter()
  const pathname = useLocation({ select: (location) => location.pathname })
  return async (to) => {
    const now = router.state.location
    if (now.pathname === pathname && isSame(now.search)) await navigate(to)
  }
}
