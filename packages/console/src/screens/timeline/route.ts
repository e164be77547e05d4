import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'

export interface TimelineSearch {
  user?: string | undefined
  device?: string | undefined
  room?: string | undefined
  from?: string | undefined
  to?: string | undefined
  kinds?: string | undefined
}

export const timelineRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'timeline',
  validateSearch: ({ user, device, room, from, to, kinds }): TimelineSearch => ({
    ...{ user: textOf(user), device: textOf(device), room: textOf(room) },
    ...{ from: textOf(from), to: textOf(to), kinds: textOf(kinds) },
  }),
  component: lazyRouteComponent(() => import('./timeline.tsx'), 'Timeline'),
})
