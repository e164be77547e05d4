import { Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { HookFigures } from './hook-figures.tsx'
import { MessageSearch } from './message-search.tsx'
import { Reports } from './reports.tsx'
import { moderationTabs } from './search.ts'
import { moderationTexts } from './texts.ts'
import { TryHook } from './try-hook.tsx'
import { Words } from './words.tsx'

const route = getRouteApi('/shell/apps/$app/moderation')

/** Reported messages, message search, censored words, and MODERATE. */
export function Moderation() {
  const t = useTexts(moderationTexts)
  const { may } = useApp()
  const { tab = 'reports' } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page title={t.moderation}>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(to) => void navigate({ search: { tab: moderationTabs.find((each) => each === to) } })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="reports">{t.reports}</Tabs.Tab>
          {may('POST /admin/search') && <Tabs.Tab value="search">{t.search}</Tabs.Tab>}
          {may('GET /config') && <Tabs.Tab value="words">{t.words}</Tabs.Tab>}
          {may('GET /admin/moderation') && <Tabs.Tab value="hook">{t.hook}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="reports">
          <Reports />
        </Tabs.Panel>
        <Tabs.Panel value="search">{may('POST /admin/search') && <MessageSearch />}</Tabs.Panel>
        <Tabs.Panel value="hook">
          {may('GET /admin/moderation') && <HookFigures />}
          {may('POST /admin/moderation/try') && <TryHook />}
        </Tabs.Panel>
        <Tabs.Panel value="words">{may('GET /config') && <Words />}</Tabs.Panel>
      </Tabs>
    </Page>
  )
}
