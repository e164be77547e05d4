import { createRoute } from '@tanstack/react-router'
import { oneOf, skipOf, textOf } from '../../components/search-params.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { jobsQuery } from './query.ts'
import { type JobsSearch, jobKinds, jobStates } from './search.ts'

export const jobsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'jobs',
  validateSearch: ({ state, kind, from, to, cursor, job, skip }): JobsSearch => ({
    ...{ state: oneOf(jobStates)(state), kind: oneOf(jobKinds)(kind), from: textOf(from), to: textOf(to) },
    ...{ cursor: textOf(cursor), job: textOf(job), skip: skipOf(skip) },
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { app }, deps }) =>
    prefetch(queries, app, 'GET /admin/jobs', (api) => queries.prefetchQuery(jobsQuery(app, api, deps))),
  component: lazyView(() => import('./jobs.tsx'), 'Jobs'),
})
