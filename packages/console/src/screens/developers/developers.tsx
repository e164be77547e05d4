import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Parts } from '../../components/parts.tsx'
import { type Operation, useApp } from '../../session/session.tsx'
import { Denied } from '../../shell/denied.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Configuration } from './configuration.tsx'
import { EventTail } from './event-tail.tsx'
import { Explorer } from './explorer.tsx'
import { Keys } from './keys.tsx'
import { type Tab, tabs } from './search.ts'
import { TestReceiver } from './test-receiver.tsx'
import { developersTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/developers')

const views: Record<Tab, () => React.ReactNode> = {
  keys: Keys,
  config: Configuration,
  explorer: Explorer,
  events: EventTail,
  receiver: TestReceiver,
}
const needs: Record<Tab, Operation | undefined> = {
  keys: 'GET /admin/keys',
  config: 'GET /config',
  explorer: undefined,
  events: 'GET /admin/events',
  receiver: 'GET /admin/webhooks/receivers/{id}',
}

/** API keys, configuration, API explorer, event feed and test receiver. */
export function Developers() {
  const t = useTexts(developersTexts)
  const { may } = useApp()
  const { tab = 'keys' } = route.useSearch()
  const navigate = route.useNavigate()
  const needed = needs[tab]
  const View = views[tab]
  return (
    <Page
      title={t.developers}
      actions={
        <Parts
          label={t.part}
          value={tab}
          parts={tabs.map((each) => [each, t[each]] as const)}
          onChange={(next) => void navigate({ search: { tab: next } })}
        />
      }
    >
      {needed === undefined || may(needed) ? <View /> : <Denied needs={needed} />}
    </Page>
  )
}
