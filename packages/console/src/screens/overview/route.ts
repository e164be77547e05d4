import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'

const spanOf = oneOf(['day'])

export const overviewRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'overview',
  validateSearch: ({ span }): { span?: 'day' | undefined } => ({ span: spanOf(span) }),
  component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
})
