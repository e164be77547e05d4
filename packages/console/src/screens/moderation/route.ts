import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'

interface ModerationSearch {
  tab?: 'reports' | 'words' | undefined
  status?: 'open' | 'decided' | undefined
  room?: string | undefined
}

export const moderationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'moderation',
  validateSearch: (search): ModerationSearch => ({
    tab: oneOf(['reports', 'words'])(search['tab']),
    status: oneOf(['open', 'decided'])(search['status']),
    room: textOf(search['room']),
  }),
  component: lazyRouteComponent(() => import('./moderation.tsx'), 'Moderation'),
})
