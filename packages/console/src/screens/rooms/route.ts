import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { appRoute } from '../../shell/routes.tsx'
import { roomSearchOf, roomsSearchOf } from './searches.ts'

export const roomsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'rooms',
  validateSearch: roomsSearchOf,
  component: lazyRouteComponent(() => import('./rooms.tsx'), 'Rooms'),
})

export const roomRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'rooms/$room',
  validateSearch: roomSearchOf,
  component: lazyRouteComponent(() => import('./room.tsx'), 'Room'),
})
