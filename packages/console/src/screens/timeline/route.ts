import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'
import type { TimelineSearch } from './search.ts'

export const timelineRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'timeline',
  validateSearch: ({ user, device, room, from, to, kinds }): TimelineSearch => ({
    ...{ user: textOf(user), device: textOf(device), room: textOf(room) },
    ...{ from: textOf(from), to: textOf(to), kinds: textOf(kinds) },
  }),
  component: lazyRouteComponent(() => import('./timeline.tsx'), 'Timeline'),
})
