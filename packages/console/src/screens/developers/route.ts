import { createRoute } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { configQuery } from '../../session/config.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { keysQuery } from './query.ts'
import { type DevelopersSearch, tabs } from './search.ts'

export const developersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'developers',
  validateSearch: ({ tab, key, operation, types, of, receiver }): DevelopersSearch => ({
    ...{ tab: oneOf(tabs)(tab), key: textOf(key), operation: textOf(operation), types: textOf(types) },
    ...{ of: textOf(of), receiver: textOf(receiver) },
  }),
  loaderDeps: ({ search: { tab } }) => ({ tab }),
  loader: ({ context: { queries }, params: { app }, deps: { tab = 'keys' } }) => {
    if (tab === 'keys') prefetch(queries, app, 'GET /admin/keys', (api) => queries.prefetchQuery(keysQuery(app, api)))
    if (tab === 'config') prefetch(queries, app, 'GET /config', (api) => queries.prefetchQuery(configQuery(app, api)))
  },
  component: lazyView(() => import('./developers.tsx'), 'Developers'),
})
