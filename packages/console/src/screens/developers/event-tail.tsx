import { Badge, Button, Group, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { type Api, dataOf } from '../../api.ts'
import { TextFilter } from '../../components/filters.tsx'
import { Section } from '../../components/page.tsx'
import { Lines, Time, visible } from '../../components/shown.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { useTexts } from '../../texts/texts.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { developersTexts } from './texts.ts'

type FeedEvent = components['schemas']['FeedEvent']

const route = getRouteApi('/shell/apps/$app/developers')
const mostShown = 200
const waitSeconds = 20

/** The app's events as they happen. Reading them needs a reason, since they contain message texts. */
export function EventTail() {
  return <WithReason about="events">{(api) => <Tail api={api} />}</WithReason>
}

/** Shows the latest events first. Each read is a long poll. */
function Tail({ api }: { api: Api }) {
  const t = useTexts(developersTexts)
  const { types } = route.useSearch()
  const navigate = route.useNavigate()
  const [isPaused, setPaused] = useState(false)
  const { events, error, clear } = useTail(api, types, isPaused)
  return (
    <Section
      title={t.events}
      actions={
        <Group gap="xs">
          <Badge color={isPaused ? 'gray' : 'teal'} variant="light">
            {isPaused ? t.paused : t.live}
          </Badge>
          <Button size="xs" variant="default" onClick={() => setPaused(!isPaused)}>
            {isPaused ? t.goOn : t.pause}
          </Button>
          <Button size="xs" variant="default" onClick={clear}>
            {t.clear}
          </Button>
        </Group>
      }
    >
      <div className="tools">
        <TextFilter
          label={t.types}
          value={types}
          isFirst
          onChange={(next) => void navigate({ search: { tab: 'events', types: next }, replace: true })}
        />
      </div>
      {error !== undefined && <Failure error={error} />}
      {events.length === 0 ? (
        <Empty icon="list" title={t.noEvents}>
          {t.noEventsHint}
        </Empty>
      ) : (
        <ol className="timeline" aria-label={t.events}>
          {events.map((event) => (
            <li key={event.cursor} className="change event">
              <details>
                <summary>
                  <Time at={event.timeMS} />{' '}
                  <Badge variant="light" tt="none">
                    {event.event}
                  </Badge>{' '}
                  <Text span size="sm" className="cut">
                    <bdi>{visible(subjectOf(event))}</bdi>
                  </Text>
                </summary>
                <Lines label={event.event} text={JSON.stringify(event, null, 2)} />
              </details>
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}

function useTail(api: Api, types: string | undefined, isPaused: boolean) {
  const [events, setEvents] = useState<FeedEvent[]>([])
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    if (isPaused) return
    const ending = new AbortController()
    const { signal } = ending
    async function follow(): Promise<void> {
      let after: string | undefined
      while (!signal.aborted) {
        const query = {
          ...(types !== undefined && { types }),
          ...(after !== undefined && { after, wait: waitSeconds }),
        }
        const body = await dataOf(api.GET('/admin/events', { params: { query }, signal }))
        // Text is only returned to clients that accept event streams.
        if (typeof body === 'string') return
        const page = body.result
        after = page.cursor
        setError(undefined)
        if (page.data.length > 0) setEvents((now) => [...page.data.toReversed(), ...now].slice(0, mostShown))
      }
    }
    follow().catch((failure: unknown) => {
      if (!signal.aborted) setError(failure)
    })
    return () => ending.abort()
  }, [api, types, isPaused])
  return { events, error, clear: () => setEvents([]) }
}

function subjectOf({ room, user }: { room?: string; user?: string }): string {
  return [room, user].filter((each) => each !== undefined).join(' · ')
}
