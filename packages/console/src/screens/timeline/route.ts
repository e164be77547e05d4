import { createRoute } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { timelineQuery } from './query.ts'
import type { TimelineSearch } from './search.ts'

export const timelineRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'timeline',
  validateSearch: ({ user, device, room, from, to, kinds }): TimelineSearch => ({
    ...{ user: textOf(user), device: textOf(device), room: textOf(room) },
    ...{ from: textOf(from), to: textOf(to), kinds: textOf(kinds) },
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { app }, deps }) => {
    if (deps.user === undefined && deps.room === undefined) return
    prefetch(queries, app, 'GET /admin/timeline', (api) => queries.prefetchInfiniteQuery(timelineQuery(app, api, deps)))
  },
  component: lazyView(() => import('./timeline.tsx'), 'Timeline'),
})
