import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'

export interface AuditSearch {
  actor?: string | undefined
  subject?: string | undefined
  action?: string | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
}

export const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'audit',
  validateSearch: ({ actor, subject, action, from, to, cursor }): AuditSearch => ({
    ...{ actor: textOf(actor), subject: textOf(subject), action: textOf(action) },
    ...{ from: textOf(from), to: textOf(to), cursor: textOf(cursor) },
  }),
  component: lazyRouteComponent(() => import('./audit.tsx'), 'Audit'),
})
