import { Button, Group, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type Api, resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Section } from '../../components/page.tsx'
import { Lines, Time, useNumber, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { deliveryTexts } from './texts.ts'

/** Permanently failed calls with their data. Reading them needs a reason, since they contain message texts. */
export function DeadLetters() {
  return <WithReason about="dead letters">{(api) => <Letters api={api} />}</WithReason>
}

function Letters({ api }: { api: Api }) {
  const t = useTexts(deliveryTexts)
  const { app, may } = useApp()
  const number = useNumber()
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: [app, 'dead letters'],
    queryFn: ({ signal }) => resultOf(api.GET('/admin/webhooks/failed', { params: { query: { limit: 50 } }, signal })),
  })
  const retry = async (id: string) => {
    await resultOf(api.POST('/admin/webhooks/failed/{id}/retry', { params: { path: { id } } }))
    say(t.madeAgain)
    await queries.invalidateQueries({ queryKey: [app, 'dead letters'] })
  }
  return (
    <Loaded query={query}>
      {({ data, totalCount }) =>
        data.length === 0 ? (
          <Empty icon="check" title={t.noDead}>
            {t.noDeadHint}
          </Empty>
        ) : (
          <Section title={t.deadOf(number(data.length), number(totalCount))}>
            {data.map((call) => (
              <article key={call.id} className="change" aria-label={call.id}>
                <Group justify="space-between" wrap="nowrap">
                  <Text size="sm">
                    <Time at={call.failedAt} /> · {call.event} · <bdi>{visible(call.roomID)}</bdi> ·{' '}
                    {t.afterTries(String(call.tries))}: <bdi>{visible(call.lastError)}</bdi>
                  </Text>
                  {may('POST /admin/webhooks/failed/{id}/retry') && (
                    <Button size="compact-sm" variant="default" onClick={() => void retry(call.id)}>
                      {t.retry}
                    </Button>
                  )}
                </Group>
                <details>
                  <summary>{t.body}</summary>
                  <Lines label={t.body} text={JSON.stringify(call.data, null, 2)} />
                </details>
              </article>
            ))}
          </Section>
        )
      }
    </Loaded>
  )
}
