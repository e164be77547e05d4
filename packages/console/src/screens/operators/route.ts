import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'

export const operatorsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'operators',
  validateSearch: ({ cursor }): { cursor?: string | undefined } => ({ cursor: textOf(cursor) }),
  component: lazyRouteComponent(() => import('./operators.tsx'), 'Operators'),
})
