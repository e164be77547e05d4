import { createRoute } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { configQuery } from '../../session/config.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { hookQuery } from './query.ts'
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
  loaderDeps: ({ search: { tab } }) => ({ tab }),
  loader: ({ context: { queries }, params: { app }, deps: { tab } }) => {
    if (tab === 'words') prefetch(queries, app, 'GET /config', (api) => queries.prefetchQuery(configQuery(app, api)))
    if (tab === 'hook')
      prefetch(queries, app, 'GET /admin/moderation', (api) => queries.prefetchQuery(hookQuery(app, api)))
  },
  component: lazyView(() => import('./moderation.tsx'), 'Moderation'),
})
