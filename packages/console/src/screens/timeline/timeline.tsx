import { Alert, Chip, Group, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { TextFilter, TimeFilter } from '../../components/filters.tsx'
import { Icon } from '../../components/icon.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, LoadedPages } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { Entry } from './entry.ts'
import { EntryLine } from './entry-line.tsx'
import { kinds } from './kinds.ts'
import { timelineQuery } from './query.ts'
import type { TimelineSearch } from './search.ts'
import { timelineTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/timeline')

/** Everything recorded about a user, device or room, in one list. */
export function Timeline() {
  const t = useTexts(timelineTexts)
  const search = route.useSearch()
  const isAsked = search.user !== undefined || search.room !== undefined
  return (
    <Page title={t.timeline}>
      <Filters search={search} />
      {isAsked ? (
        <Entries search={search} />
      ) : (
        <Empty icon="time" title={t.ask}>
          {t.askHint}
        </Empty>
      )}
    </Page>
  )
}

function Filters({ search }: { search: TimelineSearch }) {
  const t = useTexts(timelineTexts)
  const navigate = route.useNavigate()
  const set = (change: TimelineSearch) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })
  const shown = search.kinds?.split(',') ?? []
  return (
    <>
      <div className="tools">
        <TextFilter label={t.user} value={search.user} onChange={(user) => set({ user })} isFirst />
        <TextFilter label={t.room} value={search.room} onChange={(room) => set({ room })} />
        <TextFilter label={t.device} value={search.device} onChange={(device) => set({ device })} />
        <TimeFilter label={t.from} value={search.from} onChange={(from) => set({ from })} />
        <TimeFilter label={t.to} value={search.to} onChange={(to) => set({ to })} />
      </div>
      <Chip.Group
        multiple
        value={shown}
        onChange={(chosen) => set({ kinds: chosen.length === 0 ? undefined : chosen.join(',') })}
      >
        <Group gap={6} mb="md" role="group" aria-label={t.kinds}>
          {kinds.map((kind) => (
            <Chip key={kind} value={kind} size="xs" variant="light">
              {t[kind]}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </>
  )
}

function Entries({ search }: { search: TimelineSearch }) {
  const t = useTexts(timelineTexts)
  const { app, api } = useApp()
  const query = useInfiniteQuery(timelineQuery(app, api, search))
  return (
    <LoadedPages query={query}>
      {(pages) => {
        const [first] = pages
        const entries = pages.flatMap(({ data }) => data)
        return (
          <>
            {first && <Missing of={first} />}
            {entries.length === 0 ? (
              <Empty icon="time" title={t.nothing}>
                {t.nothingHint}
              </Empty>
            ) : (
              <List entries={entries} search={search} />
            )}
          </>
        )
      }}
    </LoadedPages>
  )
}

/** Lines of the first paint, about what a window shows. The others follow in the background. */
const firstLines = 20

function List({ entries, search }: { entries: readonly Entry[]; search: TimelineSearch }) {
  const t = useTexts(timelineTexts)
  const most = useDeferredValue(Number.POSITIVE_INFINITY, firstLines)
  return (
    <ol className="timeline" aria-label={t.timeline}>
      {entries.slice(0, most).map((entry, i) => (
        <EntryLine key={`${entry.timeMS} ${entry.code} ${entry.subject.id} ${i}`} entry={entry} search={search} />
      ))}
    </ol>
  )
}

/** The list's gaps: kinds hidden from the role, unresponsive processes, and omitted rooms. */
function Missing({ of }: { of: Pick<Page, 'withheld' | 'silentNodes' | 'roomsLeftOut'> }) {
  const t = useTexts(timelineTexts)
  const lines = [
    of.withheld.length > 0 && t.withheld(of.withheld.map(({ kind }) => t[kind]).join(', ')),
    of.silentNodes.length > 0 && t.silent(of.silentNodes.join(', ')),
    of.roomsLeftOut > 0 && t.leftOut(`${of.roomsLeftOut}`),
  ].filter((line) => line !== false)
  if (lines.length === 0) return null
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} mb="md">
      {lines.map((line) => (
        <Text key={line} size="sm">
          {line}
        </Text>
      ))}
    </Alert>
  )
}

interface Page {
  withheld: { kind: Entry['kind'] }[]
  silentNodes: string[]
  roomsLeftOut: number
}
