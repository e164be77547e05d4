import { Alert, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bars } from '../../components/bars.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { Parts } from '../../components/parts.tsx'
import { useNumber } from '../../components/shown.tsx'
import { Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useLanguage, useTexts } from '../../texts/texts.ts'
import { inChinese } from './in-chinese.ts'
import type { OverviewData } from './overview-data.ts'
import { Processes } from './processes.tsx'
import { overviewQuery } from './query.ts'
import { alertTexts, overviewTexts } from './texts.ts'

type Series = OverviewData['hour']
type Figure = keyof Series[number]['figures']

const route = getRouteApi('/shell/apps/$app/overview')

/** The app's health: alerts, figures for the last hour or day, and processes. */
export function Overview() {
  const t = useTexts(overviewTexts)
  const { app, api } = useApp()
  const { span } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery(overviewQuery(app, api))
  return (
    <Page
      title={t.overview}
      actions={
        <Parts
          label={t.span}
          value={span ?? 'hour'}
          parts={[
            ['hour', t.hour],
            ['day', t.day],
          ]}
          onChange={(next) => void navigate({ search: { span: next === 'day' ? 'day' : undefined }, replace: true })}
        />
      }
    >
      <Loaded query={query}>
        {(data) => (
          <>
            <Alerts data={data} />
            <Figures data={data} series={span === 'day' ? data.day : data.hour} />
            {data.processes && <Processes processes={data.processes} lag={data.lag} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Alerts({ data }: { data: OverviewData }) {
  const t = useTexts(overviewTexts)
  const names = useTexts(alertTexts)
  const language = useLanguage()
  const { alerts } = data
  if (alerts.length === 0) {
    return (
      <Alert color="teal" icon={<Icon name="check" />} mb="md" title={t.allWell}>
        {t.allWellHint}
      </Alert>
    )
  }
  return (
    <Stack gap="xs" mb="md">
      {alerts.map((alert) => {
        // The server's description is in English.
        const chinese = language === 'zh' ? inChinese(alert, data) : undefined
        return (
          <Alert
            key={`${alert.code} ${alert.reason}`}
            color="red"
            icon={<Icon name="warning" />}
            title={names[alert.code]}
          >
            <Text size="sm" {...(chinese === undefined && { lang: 'en' })}>
              {chinese ?? alert.reason}
            </Text>
          </Alert>
        )
      })}
    </Stack>
  )
}

function Figures({ data, series }: { data: OverviewData; series: Series }) {
  const t = useTexts(overviewTexts)
  const number = useNumber()
  const of = (...names: Figure[]) => series.map(({ figures }) => names.reduce((sum, name) => sum + figures[name], 0))
  const total = (...names: Figure[]) => of(...names).reduce((sum, one) => sum + one, 0)
  const cards: { label: string; value: number; all: number[]; failed?: number[]; more?: string }[] = [
    {
      label: t.connections,
      value: data.connections,
      all: series.map(({ peakConnections }) => peakConnections),
      more: t.peak(number(Math.max(0, ...series.map(({ peakConnections }) => peakConnections)))),
    },
    { label: t.messages, value: total('messages'), all: of('messages') },
    { label: t.deliveries, value: total('deliveries'), all: of('deliveries') },
    {
      label: t.requests,
      value: total('requests', 'emits'),
      all: of('requests', 'emits'),
      failed: of('failedRequests', 'failedEmits'),
      more: t.refused(number(total('refusedRequests', 'refusedEmits')), number(total('failedRequests', 'failedEmits'))),
    },
    {
      label: t.pushes,
      value: total('pushes'),
      all: of('pushes', 'failedPushes'),
      failed: of('failedPushes'),
      more: t.failed(number(total('failedPushes'))),
    },
    {
      label: t.calls,
      value: total('calls'),
      all: of('calls', 'failedCalls'),
      failed: of('failedCalls'),
      more: t.failedCalls(number(total('failedCalls')), number(data.deadCalls)),
    },
  ]
  return (
    <div className="cards">
      {cards.map(({ label, value, all, failed, more }) => (
        <section className="card" key={label} aria-label={label}>
          <Dimmed>{label}</Dimmed>
          <span className="card-value">{number(value)}</span>
          <Bars
            label={t.chart(label, number(all.reduce((sum, one) => Math.max(sum, one), 0)))}
            bars={all.map((bar, i) => ({ value: bar, failed: failed?.[i] ?? 0 }))}
          />
          <Dimmed size="xs">{more ?? '\u00a0'}</Dimmed>
        </section>
      ))}
    </div>
  )
}
