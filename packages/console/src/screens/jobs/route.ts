import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, skipOf, textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'
import { type JobsSearch, jobKinds, jobStates } from './search.ts'

export const jobsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'jobs',
  validateSearch: ({ state, kind, from, to, cursor, job, skip }): JobsSearch => ({
    ...{ state: oneOf(jobStates)(state), kind: oneOf(jobKinds)(kind), from: textOf(from), to: textOf(to) },
    ...{ cursor: textOf(cursor), job: textOf(job), skip: skipOf(skip) },
  }),
  component: lazyRouteComponent(() => import('./jobs.tsx'), 'Jobs'),
})
