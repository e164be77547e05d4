import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Parts } from '../../components/parts.tsx'
import { Empty } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Calls } from './calls.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { Push } from './push.tsx'
import { deliveryTabs } from './search.ts'
import { deliveryTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/delivery')

/** Webhook calls, dead letters and push. */
export function Delivery() {
  const t = useTexts(deliveryTexts)
  const { may } = useApp()
  const { tab = 'calls' } = route.useSearch()
  const navigate = route.useNavigate()
  const mayCalls = may('GET /admin/webhooks/calls')
  return (
    <Page
      title={t.delivery}
      actions={
        <Parts
          label={t.part}
          value={tab}
          parts={deliveryTabs.map((each) => [each, t[each]] as const)}
          onChange={(next) => void navigate({ search: { tab: next } })}
        />
      }
    >
      {tab === 'push' ? (
        <Push />
      ) : mayCalls ? (
        tab === 'calls' ? (
          <Calls />
        ) : (
          <DeadLetters />
        )
      ) : (
        <Empty icon="webhook" title={t.notAllowed} />
      )}
    </Page>
  )
}
