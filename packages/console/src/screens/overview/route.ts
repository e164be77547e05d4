import { createRoute } from '@tanstack/react-router'
import { oneOf } from '../../components/search-params.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { overviewQuery } from './query.ts'

const spanOf = oneOf(['day'])

export const overviewRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'overview',
  validateSearch: ({ span }): { span?: 'day' | undefined } => ({ span: spanOf(span) }),
  loader: ({ context: { queries }, params: { app } }) =>
    prefetch(queries, app, 'GET /admin/overview', (api) => queries.prefetchQuery(overviewQuery(app, api))),
  component: lazyView(() => import('./overview.tsx'), 'Overview'),
})
