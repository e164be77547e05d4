import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'

export const usersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'users',
  validateSearch: ({ q, cursor }): { q?: string | undefined; cursor?: string | undefined } => ({
    q: textOf(q),
    cursor: textOf(cursor),
  }),
  component: lazyRouteComponent(() => import('./users.tsx'), 'Users'),
})

export const userRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'users/$user',
  component: lazyRouteComponent(() => import('./user.tsx'), 'User'),
})
