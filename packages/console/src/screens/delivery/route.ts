import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf, textOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'

export const deliveryTabs = ['calls', 'dead', 'push'] as const
export type DeliveryTab = (typeof deliveryTabs)[number]

export interface DeliverySearch {
  tab?: DeliveryTab | undefined
  room?: string | undefined
  from?: string | undefined
  to?: string | undefined
  cursor?: string | undefined
}

export const deliveryRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'delivery',
  validateSearch: ({ tab, room, from, to, cursor }): DeliverySearch => ({
    ...{
      tab: oneOf(deliveryTabs)(tab),
      room: textOf(room),
      from: textOf(from),
      to: textOf(to),
      cursor: textOf(cursor),
    },
  }),
  component: lazyRouteComponent(() => import('./delivery.tsx'), 'Delivery'),
})
