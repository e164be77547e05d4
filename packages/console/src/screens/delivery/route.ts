import { createRoute } from '@tanstack/react-router'
import { oneOf, skipOf, textOf } from '../../components/search-params.ts'
import { prefetch } from '../../session/prefetch.ts'
import { isSignedIn, sessionKnown } from '../../session/session.tsx'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'
import { callsQuery, devicesQuery } from './queries.ts'
import { type DeliverySearch, deliveryTabs, neededFor } from './search.ts'

export const deliveryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'delivery',
  validateSearch: ({ tab, room, user, message, skip, from, to, cursor }): DeliverySearch => ({
    ...{
      tab: oneOf(deliveryTabs)(tab),
      room: textOf(room),
      user: textOf(user),
      message: textOf(message),
      skip: skipOf(skip),
      from: textOf(from),
      to: textOf(to),
      cursor: textOf(cursor),
    },
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queries }, params: { app }, deps }) => {
    const calls = () =>
      prefetch(queries, app, neededFor.calls, (api) => queries.prefetchQuery(callsQuery(app, api, deps)))
    // The other tabs need a reason, or what the operator types.
    if (deps.tab === 'calls') calls()
    if (deps.tab === 'devices')
      prefetch(queries, app, neededFor.devices, (api) => queries.prefetchQuery(devicesQuery(app, api, deps)))
    // Without a tab, the role decides.
    if (deps.tab === undefined) void sessionKnown(queries).then(() => isSignedIn(queries) && calls())
  },
  component: lazyView(() => import('./delivery.tsx'), 'Delivery'),
})
