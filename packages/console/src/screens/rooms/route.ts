import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetch } from '../../session/prefetch.ts'
import { appRoute } from '../../shell/routes.tsx'
import { membersQuery, roomQuery, roomsQuery } from './queries.ts'
import { roomSearchOf, roomsSearchOf } from './searches.ts'

export const roomsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'rooms',
  validateSearch: roomsSearchOf,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { app }, deps }) =>
    prefetch(queries, app, (api) => queries.prefetchQuery(roomsQuery(app, api, deps))),
  component: lazyRouteComponent(() => import('./rooms.tsx'), 'Rooms'),
})

export const roomRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'rooms/$room',
  validateSearch: roomSearchOf,
  loaderDeps: ({ search: { tab } }) => ({ tab }),
  loader: ({ context: { queries }, params: { app, room }, deps: { tab } }) =>
    prefetch(queries, app, (api) =>
      Promise.all([
        queries.prefetchQuery(roomQuery(app, api, room)),
        tab === 'members' && queries.prefetchInfiniteQuery(membersQuery(app, api, room)),
      ]),
    ),
  component: lazyRouteComponent(() => import('./room.tsx'), 'Room'),
})
