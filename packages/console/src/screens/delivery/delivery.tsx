import { SegmentedControl } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Calls } from './calls.tsx'
import { DeadLetters } from './dead-letters.tsx'
import { Push } from './push.tsx'
import { deliveryTabs } from './search.ts'
import { deliveryTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/delivery')

/** Calls to the integrator's servers, those that failed for good, and pushes. */
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
        <SegmentedControl
          size="xs"
          aria-label={t.part}
          value={tab}
          data={deliveryTabs.map((value) => ({ value, label: t[value] }))}
          onChange={(next) => void navigate({ search: { tab: deliveryTabs.find((each) => each === next) } })}
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
