import { Badge, Button, Group, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { type Api, ApiFailure, dataOf } from '../../api.ts'
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
/** Backoff after a failed read: doubles from the first to the longest pause. */
const firstPauseMS = 1_000
const longestPauseMS = 30_000
const colours = { live: 'teal', reconnecting: 'yellow', stopped: 'red', paused: 'gray' } as const

/** The app's events as they happen. Reading them needs a reason, since they contain message texts. */
export function EventTail() {
  return <WithReason about="events">{(api) => <Tail api={api} />}</WithReason>
}

/** Shows the latest events first. Each read is a long poll. */
function Tail({ api }: { api: Api }) {
  const t = useTexts(developersTexts)
  const { types, of } = route.useSearch()
  const navigate = route.useNavigate()
  const [isPaused, setPaused] = useState(false)
  const { events, error, retry, clear } = useTail(api, { types, of }, isPaused)
  const state = isPaused ? 'paused' : error === undefined ? 'live' : isFinal(error) ? 'stopped' : 'reconnecting'
  return (
    <Section
      title={t.events}
      actions={
        <Group gap="xs">
          <Badge color={colours[state]} role="status">
            {t[state]}
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
          onChange={(next) => void navigate({ search: (now) => ({ ...now, types: next }), replace: true })}
        />
        <TextFilter
          label={t.roomOrUser}
          value={of}
          onChange={(next) => void navigate({ search: (now) => ({ ...now, of: next }), replace: true })}
        />
      </div>
      {error !== undefined && <Failure error={error} retry={retry} />}
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
                  <Time at={event.timeMS} /> <Badge>{event.event}</Badge>{' '}
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

interface Wanted {
  types: string | undefined
  /** A room or user. */
  of: string | undefined
}

/** Follows the events. After a pause or a failure it goes on from the last one, if it is still kept. */
function useTail(api: Api, { types, of }: Wanted, isPaused: boolean) {
  const [events, setEvents] = useState<FeedEvent[]>([])
  const [error, setError] = useState<unknown>()
  const [attempt, setAttempt] = useState(0)
  const position = useRef<Wanted & { after?: string }>({ types, of })
  useEffect(() => {
    if (position.current.types !== types || position.current.of !== of) {
      position.current = { types, of }
      setEvents([])
    }
    setError(undefined)
    if (isPaused) return
    const ending = new AbortController()
    const { signal } = ending
    async function read(): Promise<void> {
      const { after } = position.current
      const query = {
        ...(types !== undefined && { types }),
        ...(after !== undefined && { after, wait: waitSeconds }),
      }
      const body = await dataOf(api.GET('/admin/events', { params: { query }, signal }))
      // Text is only returned to clients that accept event streams.
      if (signal.aborted || typeof body === 'string') return
      const { cursor, data } = body.result
      position.current = { types, of, after: cursor }
      setError(undefined)
      const wanted = data.filter(({ room, user }) => of === undefined || room === of || user === of)
      if (wanted.length > 0) setEvents((now) => [...wanted.toReversed(), ...now].slice(0, mostShown))
    }
    async function follow(): Promise<void> {
      let pauseMS = firstPauseMS
      while (!signal.aborted) {
        try {
          await read()
          pauseMS = firstPauseMS
        } catch (failure) {
          if (signal.aborted) return
          setError(failure)
          if (isFinal(failure)) return
          if (isCursorGone(failure)) position.current = { types, of }
          await new Promise((resolve) => setTimeout(resolve, Math.max(pauseMS, retryAfterMS(failure))))
          pauseMS = Math.min(pauseMS * 2, longestPauseMS)
        }
      }
    }
    void follow()
    return () => ending.abort()
  }, [api, types, of, isPaused, attempt])
  return { events, error, retry: () => setAttempt(attempt + 1), clear: () => setEvents([]) }
}

const isCursorGone = (error: unknown) => error instanceof ApiFailure && error.status === 410

const retryAfterMS = (error: unknown) => (error instanceof ApiFailure ? (error.retryAfterS ?? 0) * 1_000 : 0)

/** Whether a retry would be refused too. */
const isFinal = (error: unknown) => error instanceof ApiFailure && [400, 401, 403, 404].includes(error.status)

function subjectOf({ room, user }: { room?: string; user?: string }): string {
  return [room, user].filter((each) => each !== undefined).join(' · ')
}
