import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, skipOf, textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'
import { type DeliverySearch, deliveryTabs } from './search.ts'

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
  component: lazyRouteComponent(() => import('./delivery.tsx'), 'Delivery'),
})
