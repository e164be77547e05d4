import { Badge, Button, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { type Api, resultOf } from '../../api.ts'
import { Confirm, Dialog, say, Warning } from '../../components/confirm.tsx'
import { type Columns, column, unseen } from '../../components/data-table.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { TextFilter, TimeFilter } from '../../components/filters.tsx'
import { Listed } from '../../components/listed.tsx'
import { RoomLink } from '../../components/person.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { Lines, Time, visible } from '../../components/shown.tsx'
import { Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { callsQuery } from './queries.ts'
import type { DeliverySearch } from './search.ts'
import { deliveryTexts } from './texts.ts'

type Call = components['schemas']['WebhookDelivery']

const route = getRouteApi('/shell/apps/$app/delivery')
const colours = { done: 'teal', failed: 'red', waiting: 'yellow' } as const

/** Recent webhook calls. Retries single calls or a period. */
export function Calls() {
  const t = useTexts(deliveryTexts)
  const { app, api, may } = useApp()
  const search = route.useSearch()
  const { room, from, to, cursor } = search
  const navigate = route.useNavigate()
  const [isRange, setRange] = useState(false)
  const [shown, setShown] = useState<string>()
  const queries = useQueryClient()
  const set = (change: DeliverySearch) =>
    void navigate({ search: (now) => ({ ...now, cursor: undefined, ...change }), replace: true })
  const query = useQuery(callsQuery(app, api, search))
  const reload = useCallback(() => queries.invalidateQueries({ queryKey: [app, 'calls'] }), [app, queries])
  const mayRetry = may('POST /admin/webhooks/calls/{id}/retry')
  const retry = useCallback(
    async (id: string) => {
      await resultOf(api.POST('/admin/webhooks/calls/{id}/retry', { params: { path: { id } } }))
      say(t.madeAgain)
      await reload()
    },
    [api, reload, t],
  )
  const columns = useColumns(mayRetry ? retry : undefined, may('GET /admin/webhooks/calls/{id}') ? setShown : undefined)
  return (
    <>
      <div className="tools">
        <TextFilter label={t.room} value={room} onChange={(next) => set({ room: next })} isFirst />
        <TimeFilter label={t.from} value={from} onChange={(next) => set({ from: next })} />
        <TimeFilter label={t.to} value={to} onChange={(next) => set({ to: next })} />
        {mayRetry && (
          <Button variant="default" disabled={from === undefined} onClick={() => setRange(true)}>
            {t.retryRange}
          </Button>
        )}
      </div>
      <Listed
        label={t.calls}
        query={query}
        columns={columns}
        keyOf={({ id }) => id}
        empty={{ icon: 'webhook', title: t.noCalls, hint: t.noCallsHint }}
        cursor={cursor}
        onPage={(page) => void navigate({ search: (now) => ({ ...now, cursor: page }) })}
      />
      {shown !== undefined && <SentDialog id={shown} onClose={() => setShown(undefined)} />}
      {isRange && from !== undefined && (
        <RetryRange {...{ room, from, to }} onClose={() => setRange(false)} onDone={reload} />
      )}
    </>
  )
}

function RetryRange({
  room,
  from,
  to,
  onClose,
  onDone,
}: {
  room: string | undefined
  from: string
  to: string | undefined
  onClose: () => void
  onDone: () => Promise<void>
}) {
  const t = useTexts(deliveryTexts)
  const { api } = useApp()
  return (
    <Confirm
      title={t.retryRange}
      action={t.retryRange}
      onClose={onClose}
      run={async () => {
        const body = { since: from, ...(to !== undefined && { until: to }), ...(room !== undefined && { room }) }
        const { count, complete } = await resultOf(api.POST('/admin/webhooks/calls/retry', { body }))
        say(complete ? t.retried(String(count)) : t.retriedPart(String(count)))
        await onDone()
      }}
    >
      <Warning>{t.retryRangeHint}</Warning>
    </Confirm>
  )
}

/** Status, duration and error of the last attempt. The error of a refusal is its status again. */
function answerOf({ status, durationMS, lastError }: Call): (string | number)[] {
  const parts = [status, durationMS !== undefined && `${durationMS} ms`, lastError !== String(status) && lastError]
  return parts.filter((part) => part !== undefined && part !== false)
}

function useColumns(
  onRetry: ((id: string) => Promise<void>) | undefined,
  onShow: ((id: string) => void) | undefined,
): Columns<Call> {
  const t = useTexts(deliveryTexts)
  return useMemo<Columns<Call>>(
    () => [
      column('time', t.queued, (row) => <Time at={row.createdAtMS} />),
      column('state', t.state, (row) => <Badge color={colours[row.state]}>{t[row.state]}</Badge>),
      column('event', t.event, (row) => row.event),
      column('room', t.room, (row) => <RoomLink id={row.roomID} name={undefined} />),
      column('tries', t.tries, (row) => row.tries),
      column('answer', t.answer, (row) => (
        <Text size="sm">
          <bdi>{visible(answerOf(row).join(' · '))}</bdi>
        </Text>
      )),
      column(
        'data',
        unseen(t.sent),
        (row) =>
          onShow && (
            <Button size="compact-sm" variant="default" onClick={() => onShow(row.id)}>
              {t.sent}
            </Button>
          ),
      ),
      column(
        'retry',
        unseen(t.retry),
        (row) =>
          onRetry &&
          row.state !== 'waiting' && <RunButton size="compact-sm" label={t.retry} run={() => onRetry(row.id)} />,
      ),
    ],
    [t, onRetry, onShow],
  )
}

/** The data and the response of a call. Reading them needs a reason, since both can contain message texts. */
function SentDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTexts(deliveryTexts)
  return (
    <Dialog title={t.sent} onClose={onClose} size="lg">
      <WithReason about="data of webhook calls">{(api) => <Sent api={api} id={id} />}</WithReason>
    </Dialog>
  )
}

function Sent({ api, id }: { api: Api; id: string }) {
  const t = useTexts(deliveryTexts)
  const { app } = useApp()
  const query = useQuery({
    queryKey: [app, 'call', id],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/webhooks/calls/{id}', { params: { path: { id } }, signal })),
  })
  return (
    <>
      <Dimmed mb="xs">{t.sentHint}</Dimmed>
      <Loaded query={query}>
        {({ data, call: { answer = '' } }) => (
          <>
            <Lines label={t.sent} text={JSON.stringify(data, null, 2)} />
            {answer !== '' && (
              <>
                <Text size="sm" mt="sm">
                  {t.answer}
                </Text>
                <Lines label={t.answer} text={answer} />
              </>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
