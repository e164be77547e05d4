import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { oneOf } from '../../components/search-params.ts'
import { appRoute } from '../../shell/routes.tsx'
import { type SettingsSearch, settingsTabs } from './search.ts'

export const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'settings',
  validateSearch: ({ tab }): SettingsSearch => ({ tab: oneOf(settingsTabs)(tab) }),
  component: lazyRouteComponent(() => import('./settings.tsx'), 'Settings'),
})
