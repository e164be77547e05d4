import { createRoute } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'

export const operatorsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'operators',
  validateSearch: ({ cursor }): { cursor?: string | undefined } => ({ cursor: textOf(cursor) }),
  component: lazyView(() => import('./operators.tsx'), 'Operators'),
})
