import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'
import { type ModerationSearch, moderationTabs } from './search.ts'

export const moderationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'moderation',
  validateSearch: (search): ModerationSearch => ({
    tab: oneOf(moderationTabs)(search['tab']),
    status: oneOf(['open', 'decided'])(search['status']),
    ...{ room: textOf(search['room']), keyword: textOf(search['keyword']), sender: textOf(search['sender']) },
    ...{ type: textOf(search['type']), from: textOf(search['from']), to: textOf(search['to']) },
  }),
  component: lazyRouteComponent(() => import('./moderation.tsx'), 'Moderation'),
})
