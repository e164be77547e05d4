import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'

/** Like `useNavigate`, after an action: does nothing if the operator has left the view while it ran. */
export function useLeave(): ReturnType<typeof useNavigate> {
  const navigate = useNavigate()
  const router = useRouter()
  const pathname = useLocation({ select: (location) => location.pathname })
  return async (to) => {
    if (router.state.location.pathname === pathname) await navigate(to)
  }
}
