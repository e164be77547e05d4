import { createRoute } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { operatorsQuery } from './query.ts'

export const operatorsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'operators',
  validateSearch: ({ cursor }): { cursor?: string | undefined } => ({ cursor: textOf(cursor) }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { app }, deps: { cursor } }) =>
    prefetch(queries, app, 'owner', (api) => queries.prefetchQuery(operatorsQuery(api, cursor))),
  component: lazyView(() => import('./operators.tsx'), 'Operators'),
})
