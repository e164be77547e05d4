import { createRoute } from '@tanstack/react-router'
import { lazyView } from '../../shell/lazy-view.ts'
import { shellRoute } from '../../shell/routes.tsx'

export const accountRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: 'account',
  component: lazyView(() => import('./account.tsx'), 'Account'),
})
