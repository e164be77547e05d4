import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'

export const tabs = ['keys', 'config', 'explorer', 'events'] as const
export type Tab = (typeof tabs)[number]

export interface DevelopersSearch {
  tab?: Tab | undefined
  /** Of the configuration: the key that is open. */
  key?: string | undefined
  /** Of the explorer: `GET /rooms`. */
  operation?: string | undefined
  /** Of the feed: names, separated by commas. */
  types?: string | undefined
}

export const developersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'developers',
  validateSearch: ({ tab, key, operation, types }): DevelopersSearch => ({
    ...{ tab: oneOf(tabs)(tab), key: textOf(key), operation: textOf(operation), types: textOf(types) },
  }),
  component: lazyRouteComponent(() => import('./developers.tsx'), 'Developers'),
})
