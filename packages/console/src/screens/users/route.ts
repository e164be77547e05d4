import { createRoute } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { roomsOfUserQuery, userQuery, usersQuery } from './queries.ts'
import { type UsersSearch, userLists } from './search.ts'

export const usersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'users',
  validateSearch: ({ q, list, from, to, cursor }): UsersSearch => ({
    ...{ q: textOf(q), list: oneOf(userLists)(list), from: textOf(from), to: textOf(to), cursor: textOf(cursor) },
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { app }, deps }) =>
    prefetch(queries, app, 'GET /admin/users', (api) => queries.prefetchQuery(usersQuery(app, api, deps))),
  component: lazyView(() => import('./users.tsx'), 'Users'),
})

export const userRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'users/$user',
  loader: ({ context: { queries }, params: { app, user } }) =>
    prefetch(queries, app, 'GET /admin/clients/{client_id}', (api) =>
      Promise.all([
        queries.prefetchQuery(userQuery(app, api, user)),
        queries.prefetchQuery(roomsOfUserQuery(app, api, user, 0)),
      ]),
    ),
  component: lazyView(() => import('./user.tsx'), 'User'),
})
