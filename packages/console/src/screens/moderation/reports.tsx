import { Button, Checkbox, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { Act } from '../../components/act.tsx'
import { useNumber } from '../../components/shown.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { DecideDialog } from './decide-dialog.tsx'
import { ReportCard } from './report-card.tsx'
import { moderationTexts } from './texts.ts'

export type Report = components['schemas']['Report']

const route = getRouteApi('/shell/apps/$app/moderation')

/** Reported messages, those first reported last coming first; several are decided at once. */
export function Reports() {
  const t = useTexts(moderationTexts)
  const number = useNumber()
  const { app, api, may } = useApp()
  const { status = 'open', room } = route.useSearch()
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [deciding, setDeciding] = useState<readonly Report[]>()
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
  const reports = query.data?.pages.flatMap(({ data }) => data) ?? []
  const isChoosing = status === 'open' && may('POST /admin/reports/{id}/decide')
  const choose = (id: string, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
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
          <Group gap="sm">
            <Checkbox
              label={t.selectAll}
              checked={ofChosen.length === reports.length}
              indeterminate={ofChosen.length > 0 && ofChosen.length < reports.length}
              onChange={(event) => setChosen(new Set(event.currentTarget.checked ? reports.map(({ id }) => id) : []))}
            />
            {ofChosen.length > 0 && (
              <>
                <Text size="sm">{t.chosen(number(ofChosen.length))}</Text>
                <Act
                  operation="POST /admin/reports/{id}/decide"
                  icon="shield"
                  label={t.decide}
                  variant="filled"
                  onClick={() => setDeciding(ofChosen)}
                />
              </>
            )}
          </Group>
        )}
      </Group>
      {query.isPending && <Loading rows={3} height={120} />}
      {query.isError && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.isSuccess && reports.length === 0 && (
        <Empty icon="flag" title={status === 'open' ? t.noReports : t.noDecided}>
          {status === 'open' ? t.noReportsHint : t.noDecidedHint}
        </Empty>
      )}
      {reports.map((report) => (
        <ReportCard
          key={report.id}
          report={report}
          {...(isChoosing && {
            isChosen: chosen.has(report.id),
            onChoose: (isChosen: boolean) => choose(report.id, isChosen),
          })}
          onDecide={() => setDeciding([report])}
        />
      ))}
      {query.hasNextPage && (
        <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t.more}
        </Button>
      )}
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
