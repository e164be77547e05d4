import { createRoute } from '@tanstack/react-router'
import { oneOf } from '../../components/search-params.ts'
import { configQuery } from '../../session/config.ts'
import { prefetch } from '../../session/prefetch.ts'
import { lazyView } from '../../shell/lazy-view.ts'
import { appRoute } from '../../shell/routes.tsx'

export const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'settings',
  validateSearch: ({ tab }): SettingsSearch => ({ tab: oneOf(settingsTabs)(tab) }),
  loader: ({ context: { queries }, params: { app } }) =>
    prefetch(queries, app, 'GET /config', (api) => queries.prefetchQuery(configQuery(app, api))),
  component: lazyView(() => import('./settings.tsx'), 'Settings'),
})

const settingsTabs = ['chat', 'app'] as const

interface SettingsSearch {
  tab?: (typeof settingsTabs)[number] | undefined
}
