import { Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Reports } from './reports.tsx'
import { moderationTexts } from './texts.ts'
import { Words } from './words.tsx'

const route = getRouteApi('/shell/apps/$app/moderation')

/** The queue of reported messages, and the censored words. */
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
        onChange={(to) => void navigate({ search: { tab: to === 'words' ? 'words' : 'reports' } })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="reports">{t.reports}</Tabs.Tab>
          {may('GET /config') && <Tabs.Tab value="words">{t.words}</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="reports">
          <Reports />
        </Tabs.Panel>
        <Tabs.Panel value="words">{may('GET /config') && <Words />}</Tabs.Panel>
      </Tabs>
    </Page>
  )
}
