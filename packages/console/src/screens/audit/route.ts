import { createRoute } from '@tanstack/react-router'
import { textOf } from '../../components/search-params.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { auditQuery } from './query.ts'
import type { AuditSearch } from './search.ts'

export const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'audit',
  validateSearch: ({ actor, subject, action, from, to, cursor }): AuditSearch => ({
    ...{ actor: textOf(actor), subject: textOf(subject), action: textOf(action) },
    ...{ from: textOf(from), to: textOf(to), cursor: textOf(cursor) },
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { app }, deps }) =>
    prefetch(queries, app, 'GET /admin/audit', (api) => queries.prefetchQuery(auditQuery(app, api, deps))),
  component: lazyView(() => import('./audit.tsx'), 'Audit'),
})
