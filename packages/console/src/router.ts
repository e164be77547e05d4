import type { QueryClient } from '@tanstack/react-query'
import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router'
import { accountRoute } from './screens/account/route.ts'
import { auditRoute } from './screens/audit/route.ts'
import { deliveryRoute } from './screens/delivery/route.ts'
import { developersRoute } from './screens/developers/route.ts'
import { jobsRoute } from './screens/jobs/route.ts'
import { moderationRoute } from './screens/moderation/route.ts'
import { operatorsRoute } from './screens/operators/route.ts'
import { overviewRoute } from './screens/overview/route.ts'
import { roomRoute, roomsRoute } from './screens/rooms/route.ts'
import { settingsRoute } from './screens/settings/route.ts'
import { timelineRoute } from './screens/timeline/route.ts'
import { userRoute, usersRoute } from './screens/users/route.ts'
import {
  appIndexRoute,
  appRoute,
  BrokenView,
  indexRoute,
  rootRoute,
  shellRoute,
  unknownInAppRoute,
  unknownRoute,
} from './shell/routes.tsx'

const tree = rootRoute.addChildren([
  indexRoute,
  shellRoute.addChildren([
    accountRoute,
    unknownRoute,
    appRoute.addChildren([
      appIndexRoute,
      unknownInAppRoute,
      usersRoute,
      userRoute,
      roomsRoute,
      roomRoute,
      moderationRoute,
      overviewRoute,
      timelineRoute,
      deliveryRoute,
      developersRoute,
      jobsRoute,
      settingsRoute,
      auditRoute,
      operatorsRoute,
    ]),
  ]),
])

/** Parses a quoted value of a URL. Any other is a text, such as the ID 12345678901234567890, which a number would change. */
function parseQuoted(value: string): unknown {
  if (!value.startsWith('"')) throw new SyntaxError('not quoted')
  return JSON.parse(value)
}

/** Every view by its path below /console. */
export const router = createRouter({
  routeTree: tree,
  // Set by main.tsx.
  context: { queries: undefined as unknown as QueryClient },
  basepath: new URL('..', import.meta.url).pathname.replace(/\/$/, ''),
  defaultPreload: 'intent',
  parseSearch: parseSearchWith(parseQuoted),
  stringifySearch: stringifySearchWith(JSON.stringify, parseQuoted),
  defaultErrorComponent: BrokenView,
  // A view of one room or user keeps nothing of another.
  defaultRemountDeps: ({ params }) => params,
  scrollRestoration: false,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
