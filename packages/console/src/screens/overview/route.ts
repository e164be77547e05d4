import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf } from '../../components/search-params.ts'
import { prefetch } from '../../session/prefetch.ts'
import { appRoute } from '../../shell/routes.tsx'
import { overviewQuery } from './query.ts'

const spanOf = oneOf(['day'])

export const overviewRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'overview',
  validateSearch: ({ span }): { span?: 'day' | undefined } => ({ span: spanOf(span) }),
  loader: ({ context: { queries }, params: { app } }) =>
    prefetch(queries, app, (api) => queries.prefetchQuery(overviewQuery(app, api))),
  component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
})
