import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Parts } from '../../components/parts.tsx'
import { useApp } from '../../session/session.tsx'
import { Denied } from '../../shell/denied.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Calls } from './calls.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { Devices } from './devices.tsx'
import { Push } from './push.tsx'
import { deliveryTabs, neededFor } from './search.ts'
import { deliveryTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/delivery')

const parts = { calls: Calls, dead: DeadLetters, push: Push, devices: Devices }

/** Webhook calls, dead letters, push and its devices. */
export function Delivery() {
  const t = useTexts(deliveryTexts)
  const { may } = useApp()
  const allowed = deliveryTabs.filter((each) => may(neededFor[each]))
  const { tab = allowed[0] ?? 'calls' } = route.useSearch()
  const navigate = route.useNavigate()
  const Part = parts[tab]
  return (
    <Page
      title={t.delivery}
      actions={
        <Parts
          label={t.part}
          value={tab}
          parts={allowed.map((each) => [each, t[each]] as const)}
          onChange={(next) => void navigate({ search: { tab: next } })}
        />
      }
    >
      {allowed.includes(tab) ? <Part /> : <Denied needs={neededFor[tab]} />}
    </Page>
  )
}
