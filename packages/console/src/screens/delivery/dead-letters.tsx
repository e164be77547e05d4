import { Group, Text } from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type Api, resultOf } from '../../api.ts'
import { say } from '../../components/confirm.tsx'
import { Pager } from '../../components/data-table.tsx'
import { Section } from '../../components/page.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { Lines, Time, useNumber, ViewLink, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { deliveryTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/delivery')
const perPage = 50

/** Permanently failed calls with their data. Reading them needs a reason, since they contain message texts. */
export function DeadLetters() {
  return <WithReason about="dead letters">{(api) => <Letters api={api} />}</WithReason>
}

function Letters({ api }: { api: Api }) {
  const t = useTexts(deliveryTexts)
  const common = useTexts(commonTexts)
  const { app, may } = useApp()
  const number = useNumber()
  const queries = useQueryClient()
  const { skip = 0 } = route.useSearch()
  const navigate = route.useNavigate()
  const query = useQuery({
    queryKey: [app, 'dead letters', skip],
    queryFn: ({ signal }) =>
      resultOf(api.GET('/admin/webhooks/failed', { params: { query: { skip, limit: perPage } }, signal })),
    placeholderData: keepPreviousData,
  })
  const retry = async (id: string) => {
    await resultOf(api.POST('/admin/webhooks/failed/{id}/retry', { params: { path: { id } } }))
    say(t.madeAgain)
    await queries.invalidateQueries({ queryKey: [app, 'dead letters'] })
  }
  return (
    <Loaded query={query}>
      {({ data, totalCount }) =>
        totalCount === 0 ? (
          <Empty icon="check" title={t.noDead}>
            {t.noDeadHint}
          </Empty>
        ) : (
          <Section title={t.deadOf(number(totalCount))}>
            {data.map((call) => (
              <article key={call.id} className="change" aria-label={call.id}>
                <Group justify="space-between" wrap="nowrap">
                  <Text size="sm">
                    <Time at={call.failedAt} /> · {call.event} ·{' '}
                    <ViewLink to="/apps/$app/rooms/$room" params={{ app, room: call.roomID }}>
                      <bdi>{visible(call.roomID)}</bdi>
                    </ViewLink>{' '}
                    · {t.afterTries(call.tries)}: <bdi>{visible(call.lastError)}</bdi>
                  </Text>
                  {may('POST /admin/webhooks/failed/{id}/retry') && (
                    <RunButton size="compact-sm" flex="none" label={t.retry} run={() => retry(call.id)} />
                  )}
                </Group>
                <details>
                  <summary>{t.body}</summary>
                  <Lines label={t.body} text={JSON.stringify(call.data, null, 2)} />
                </details>
              </article>
            ))}
            <Pager
              count={common.shown(
                `${number(data.length === 0 ? skip : skip + 1)}–${number(skip + data.length)}`,
                number(totalCount),
              )}
              cursor={skip > 0 ? String(skip) : undefined}
              next={skip + perPage < totalCount ? String(skip + perPage) : undefined}
              onPage={(to) =>
                void navigate({ search: (now) => ({ ...now, skip: to === undefined ? undefined : Number(to) }) })
              }
            />
          </Section>
        )
      }
    </Loaded>
  )
}
