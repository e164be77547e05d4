import { Button, Code, Group, NumberInput, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { type Api, ApiFailure, baseUrl, resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { Section } from '../../components/page.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { Copy, Lines, Time, useNumber, visible } from '../../components/shown.tsx'
import { SmallForm } from '../../components/small-form.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useLeave } from '../../components/use-leave.ts'
import { useSubmit } from '../../components/use-submit.ts'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { developersTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/developers')
const view = '/apps/$app/developers'
const readEveryMS = 2_000

/** A URL that records calls for some minutes. Reading them needs a reason, since they contain message texts. */
export function TestReceiver() {
  const { receiver } = route.useSearch()
  if (receiver === undefined) return <Open />
  return <WithReason about={`receiver ${receiver}`}>{(api) => <Received api={api} id={receiver} />}</WithReason>
}

function Open() {
  const t = useTexts(developersTexts)
  const { app, api, may } = useApp()
  const leave = useLeave(({ tab, receiver }) => tab === 'receiver' && receiver === undefined)
  const [minutes, setMinutes] = useState<number | string>(15)
  const [status, setStatus] = useState<number | string>(200)
  const opening = useSubmit({
    mutationFn: () => {
      const body = { minutes: Number(minutes), status: Number(status) }
      return resultOf(api.POST('/admin/webhooks/receivers', { body }))
    },
    onSuccess: ({ id }) => leave({ to: view, params: { app }, search: { tab: 'receiver', receiver: id } }),
  })
  return (
    <SmallForm
      title={t.receiver}
      hint={t.receiverHint}
      width={420}
      may={may('POST /admin/webhooks/receivers')}
      submit={{ label: t.openReceiver, ...opening, onSubmit: () => opening.mutate() }}
      fields={
        <>
          <NumberInput label={t.minutes} min={1} max={60} value={minutes} onChange={setMinutes} hideControls />
          <NumberInput label={t.answerStatus} min={200} max={599} value={status} onChange={setStatus} hideControls />
        </>
      }
    />
  )
}

function Received({ api, id }: { api: Api; id: string }) {
  const t = useTexts(developersTexts)
  const { app, may } = useApp()
  const number = useNumber()
  const goBack = useLeave(({ receiver }) => receiver === id)
  const leave = () => goBack({ to: view, params: { app }, search: { tab: 'receiver' } })
  const address = `${baseUrl}/webhooks/receivers/${encodeURIComponent(id)}`
  const query = useQuery({
    queryKey: [app, 'receiver', id],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/webhooks/receivers/{id}', { params: { path: { id } }, signal })),
    refetchInterval: readEveryMS,
    retry: false,
  })
  if (query.error instanceof ApiFailure && query.error.status === 404) {
    return (
      <Empty icon="webhook" title={t.receiverEnded}>
        {t.receiverEndedHint}
        <Button size="xs" variant="default" onClick={() => void leave()}>
          {t.openReceiver}
        </Button>
      </Empty>
    )
  }
  const close = async () => {
    await resultOf(api.DELETE('/admin/webhooks/receivers/{id}', { params: { path: { id } } }))
    say(t.receiverClosed)
    await leave()
  }
  return (
    <Section
      title={t.receiver}
      actions={
        may('DELETE /admin/webhooks/receivers/{id}') && <RunButton size="xs" label={t.closeReceiver} run={close} />
      }
    >
      <Group gap={4} wrap="nowrap" mb="xs">
        <Code className="cut">{address}</Code>
        <Copy text={address} />
      </Group>
      <Loaded query={query}>
        {({ endsAtMS, count, data }) => (
          <>
            <Dimmed mb="sm">
              {t.openUntil} <Time at={endsAtMS} /> · {t.callCount(number(count))}
            </Dimmed>
            {data.length === 0 ? (
              <Empty icon="webhook" title={t.noCallsYet} />
            ) : (
              <ol className="timeline" aria-label={t.receiver}>
                {data.map((call, i) => (
                  <RecordedCall key={`${count - i}`} call={call} />
                ))}
              </ol>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function RecordedCall({ call: { atMS, headers, body, isCut } }: { call: components['schemas']['RecordedCall'] }) {
  const t = useTexts(developersTexts)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return (
    <li className="change event">
      <details>
        <summary>
          <Time at={atMS} />{' '}
          <Text span size="sm" className="cut">
            <bdi>{visible(headers['webhook-id'] ?? headers['user-agent'] ?? '')}</bdi>
          </Text>
        </summary>
        <Dimmed size="xs" mt="xs">
          {t.headers}
        </Dimmed>
        <Lines label={t.headers} text={lines.join('\n')} />
        <Lines label={t.body} text={indented(body)} />
        {isCut === true && <Text size="xs">{t.isCut}</Text>}
      </details>
    </li>
  )
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
