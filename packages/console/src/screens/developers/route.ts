import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'
import { type DevelopersSearch, tabs } from './search.ts'

export const developersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'developers',
  validateSearch: ({ tab, key, operation, types, of, receiver }): DevelopersSearch => ({
    ...{ tab: oneOf(tabs)(tab), key: textOf(key), operation: textOf(operation), types: textOf(types) },
    ...{ of: textOf(of), receiver: textOf(receiver) },
  }),
  component: lazyRouteComponent(() => import('./developers.tsx'), 'Developers'),
})
