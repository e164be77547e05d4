import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'
import type { AuditSearch } from './search.ts'

export const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'audit',
  validateSearch: ({ actor, subject, action, from, to, cursor }): AuditSearch => ({
    ...{ actor: textOf(actor), subject: textOf(subject), action: textOf(action) },
    ...{ from: textOf(from), to: textOf(to), cursor: textOf(cursor) },
  }),
  component: lazyRouteComponent(() => import('./audit.tsx'), 'Audit'),
})
