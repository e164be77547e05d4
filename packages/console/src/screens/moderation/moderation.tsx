import { Tabs } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { useApp } from '../../session/session.tsx'
import { Denied } from '../../shell/denied.tsx'
import { useTexts } from '../../texts/texts.ts'
import { HookFigures } from './hook-figures.tsx'
import { MessageSearch } from './message-search.tsx'
import { Reports } from './reports.tsx'
import { moderationTabs, neededFor } from './search.ts'
import { moderationTexts } from './texts.ts'
import { TryHook } from './try-hook.tsx'
import { Words } from './words.tsx'

const route = getRouteApi('/shell/apps/$app/moderation')

const parts = { reports: Reports, search: MessageSearch, words: Words, hook: Hook }

/** Reported messages, message search, censored words, and MODERATE. */
export function Moderation() {
  const t = useTexts(moderationTexts)
  const { may } = useApp()
  const allowed = moderationTabs.filter((each) => may(neededFor[each]))
  const { tab = allowed[0] ?? 'reports' } = route.useSearch()
  const navigate = route.useNavigate()
  const Part = parts[tab]
  return (
    <Page title={t.moderation}>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(to) => void navigate({ search: { tab: moderationTabs.find((each) => each === to) } })}
      >
        <Tabs.List mb="md">
          {allowed.map((each) => (
            <Tabs.Tab key={each} value={each}>
              {t[each]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>{allowed.includes(tab) ? <Part /> : <Denied needs={neededFor[tab]} />}</Tabs.Panel>
      </Tabs>
    </Page>
  )
}

function Hook() {
  const { may } = useApp()
  return (
    <>
      <HookFigures />
      {may('POST /admin/moderation/try') && <TryHook />}
    </>
  )
}
