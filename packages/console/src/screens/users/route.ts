import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'
import { type UsersSearch, userLists } from './search.ts'

export const usersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'users',
  validateSearch: ({ q, list, from, to, cursor }): UsersSearch => ({
    ...{ q: textOf(q), list: oneOf(userLists)(list), from: textOf(from), to: textOf(to), cursor: textOf(cursor) },
  }),
  component: lazyRouteComponent(() => import('./users.tsx'), 'Users'),
})

export const userRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'users/$user',
  component: lazyRouteComponent(() => import('./user.tsx'), 'User'),
})
