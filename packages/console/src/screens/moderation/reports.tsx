import { Button, Checkbox, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { resultOf } from '../../api.ts'
import { Act } from '../../components/act.tsx'
import { checkProps } from '../../components/field-props.ts'
import { useNames } from '../../components/names.ts'
import { useNumber } from '../../components/shown.tsx'
import { Empty, LoadedPages } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { ReadingContext, useReadingApi } from '../rooms/conversation/reading.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { DecideDialog } from './decide-dialog.tsx'
import type { Report } from './report.ts'
import { ReportCard } from './report-card.tsx'
import { moderationTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/moderation')

/** Reported messages, read with a reason. */
export function Reports() {
  return (
    <WithReason about="reports">
      {(api) => (
        <ReadingContext value={api}>
          <Queue />
        </ReadingContext>
      )}
    </WithReason>
  )
}

/** Newest reports first. Several can be decided at once. */
function Queue() {
  const t = useTexts(moderationTexts)
  const { may } = useApp()
  const { status = 'open', room } = route.useSearch()
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState(new Set<string>())
  const [deciding, setDeciding] = useState<readonly Report[]>()
  const { query, reports, names } = useReports(status, room)
  const isChoosing = status === 'open' && may('POST /admin/reports/{id}/decide')
  const ofChosen = reports.filter(({ id }) => chosen.has(id))
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <SegmentedControl
          aria-label={t.state}
          data={[
            { value: 'open', label: t.open },
            { value: 'decided', label: t.decided },
          ]}
          value={status}
          onChange={(to) => {
            setChosen(new Set())
            void navigate({ search: (now) => ({ ...now, status: to === 'decided' ? 'decided' : undefined }) })
          }}
        />
        {room !== undefined && (
          <Button
            size="xs"
            variant="default"
            onClick={() => void navigate({ search: (now) => ({ ...now, room: undefined }) })}
          >
            {t.allRooms}
          </Button>
        )}
        {isChoosing && reports.length > 1 && (
          <Bulk
            reports={reports}
            chosen={ofChosen}
            onChosen={(next) => setChosen(new Set(next.map(({ id }) => id)))}
            onDecide={() => setDeciding(ofChosen)}
          />
        )}
      </Group>
      <LoadedPages query={query} rows={8}>
        {() =>
          reports.length === 0 ? (
            <Empty icon="flag" title={status === 'open' ? t.noReports : t.noDecided}>
              {status === 'open' ? t.noReportsHint : t.noDecidedHint}
            </Empty>
          ) : (
            <Stack gap="md">
              {reports.map((report) => (
                <ReportCard
                  {...{ report, names }}
                  key={report.id}
                  {...(isChoosing && {
                    isChosen: chosen.has(report.id),
                    onChoose: (isChosen: boolean) => setChosen(withChoice(chosen, report.id, isChosen)),
                  })}
                  onDecide={() => setDeciding([report])}
                />
              ))}
            </Stack>
          )
        }
      </LoadedPages>
      {deciding && (
        <DecideDialog
          reports={deciding}
          onClose={() => {
            setDeciding(undefined)
            setChosen(new Set())
          }}
        />
      )}
    </Stack>
  )
}

const withChoice = (chosen: Set<string>, id: string, isChosen: boolean) =>
  isChosen ? chosen.union(new Set([id])) : chosen.difference(new Set([id]))

function useReports(status: Report['status'], room: string | undefined) {
  const { app } = useApp()
  const api = useReadingApi()
  const query = useInfiniteQuery({
    queryKey: [app, 'reports', status, room],
    queryFn: ({ pageParam, signal }) => {
      const more = { ...(room && { room }), ...(pageParam && { cursor: pageParam }) }
      return resultOf(api.GET('/admin/reports', { params: { query: { status, limit: 20, ...more } }, signal }))
    },
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
    refetchInterval: 30_000,
  })
  const pages = query.data?.pages.map(({ data }) => data) ?? []
  const peopleIn = (page: readonly Report[]) =>
    page.flatMap(({ sender, reasons }) => [sender, ...reasons.map(({ client }) => client)])
  const roomsIn = (page: readonly Report[]) => page.map((report) => report.room)
  const names = { users: useNames('users', pages.map(peopleIn)), rooms: useNames('rooms', pages.map(roomsIn)) }
  return { query, reports: pages.flat(), names }
}

/** Selects all shown reports, and decides the selected ones. */
function Bulk({
  reports,
  chosen,
  onChosen,
  onDecide,
}: {
  reports: readonly Report[]
  chosen: readonly Report[]
  onChosen: (chosen: readonly Report[]) => void
  onDecide: () => void
}) {
  const t = useTexts(moderationTexts)
  const number = useNumber()
  return (
    <Group gap="sm">
      <Checkbox
        label={t.selectAll}
        indeterminate={chosen.length > 0 && chosen.length < reports.length}
        {...checkProps(chosen.length === reports.length, (isChecked) => onChosen(isChecked ? reports : []))}
      />
      {chosen.length > 0 && (
        <>
          <Text size="sm">{t.chosen(number(chosen.length))}</Text>
          <Act
            operation="POST /admin/reports/{id}/decide"
            icon="shield"
            label={t.decide}
            variant="filled"
            onClick={onDecide}
          />
        </>
      )}
    </Group>
  )
}
