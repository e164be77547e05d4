import { createRoute } from '@tanstack/react-router'
import { prefetch } from '../../session/prefetch.ts'
import { mayStart } from '../../session/session.tsx'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { bansQuery, membersQuery, roomQuery, roomsQuery } from './queries.ts'
import { roomSearchOf, roomsSearchOf } from './searches.ts'

export const roomsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'rooms',
  validateSearch: roomsSearchOf,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { app }, deps }) =>
    prefetch(queries, app, 'GET /admin/rooms', (api) => queries.prefetchQuery(roomsQuery(app, api, deps))),
  component: lazyView(() => import('./rooms.tsx'), 'Rooms'),
})

export const roomRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'rooms/$room',
  validateSearch: roomSearchOf,
  loaderDeps: ({ search: { tab } }) => ({ tab }),
  loader: ({ context: { queries }, params: { app, room }, deps: { tab } }) =>
    prefetch(queries, app, 'GET /admin/rooms/{id}', (api) =>
      Promise.all([
        queries.prefetchQuery(roomQuery(app, api, room)),
        tab === 'members' && queries.prefetchInfiniteQuery(membersQuery(app, api, room)),
        tab === 'members' &&
          mayStart(queries, app, 'GET /admin/rooms/{id}/bans') &&
          queries.prefetchQuery(bansQuery(app, api, room, 0)),
      ]),
    ),
  component: lazyView(() => import('./room.tsx'), 'Room'),
})
