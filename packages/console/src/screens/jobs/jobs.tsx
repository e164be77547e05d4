import { Badge, Button, Progress } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { ChoiceFilter } from '../../components/choice-filter.tsx'
import { type Columns, column, unseen } from '../../components/data-table.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { TimeFilter } from '../../components/filters.tsx'
import { Listed } from '../../components/listed.tsx'
import { Page } from '../../components/page.tsx'
import { Time, useNumber } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { Outcomes } from './outcomes.tsx'
import { jobsQuery } from './query.ts'
import type { JobsSearch } from './search.ts'
import { jobsTexts } from './texts.ts'

type Job = components['schemas']['Job']

const route = getRouteApi('/shell/apps/$app/jobs')
const colours = { running: 'blue', done: 'teal', failed: 'red' } as const

/** The app's running and recent background jobs, with their progress. */
export function Jobs() {
  const t = useTexts(jobsTexts)
  const { app, api } = useApp()
  const search = route.useSearch()
  const { job, skip = 0, from, to, ...filters } = search
  const navigate = route.useNavigate()
  const set = (change: JobsSearch) =>
    void navigate({ search: (now) => ({ ...now, cursor: undefined, ...change }), replace: true })
  const query = useQuery(jobsQuery(app, api, search))
  const columns = useColumns((id) => void navigate({ search: (now) => ({ ...now, job: id, skip: undefined }) }))
  return (
    <Page title={t.jobs}>
      <div className="tools">
        <ChoiceFilter
          label={t.state}
          any={t.anyState}
          values={{ running: t.running, done: t.done, failed: t.failed }}
          value={filters.state}
          onChange={(state) => set({ state })}
        />
        <ChoiceFilter
          label={t.kind}
          any={t.anyKind}
          values={{ batch: t.batch, erasure: t.erasure, export: t.export }}
          value={filters.kind}
          onChange={(kind) => set({ kind })}
        />
        <TimeFilter label={t.from} value={from} onChange={(next) => set({ from: next })} />
        <TimeFilter label={t.to} value={to} onChange={(next) => set({ to: next })} />
      </div>
      {job !== undefined && (
        <Outcomes
          job={job}
          skip={skip}
          onSkip={(next) => void navigate({ search: (now) => ({ ...now, skip: next }) })}
          onClose={() => void navigate({ search: (now) => ({ ...now, job: undefined, skip: undefined }) })}
        />
      )}
      <Listed
        label={t.jobs}
        query={query}
        columns={columns}
        keyOf={({ _id }) => _id}
        empty={{ icon: 'list', title: t.nothing, hint: t.nothingHint }}
        cursor={filters.cursor}
        onPage={(cursor) => void navigate({ search: (now) => ({ ...now, cursor }) })}
      />
    </Page>
  )
}

function hasOutcome({ kind, state }: Job): boolean {
  return kind === 'batch' || (kind === 'export' && state === 'done')
}

function useColumns(onOutcomes: (job: string) => void): Columns<Job> {
  const t = useTexts(jobsTexts)
  const number = useNumber()
  const { mayByKind } = useApp()
  return useMemo<Columns<Job>>(
    () => [
      column('kind', t.kind, (row) => (
        <>
          {t[row.kind]}
          <Dimmed size="xs">{row._id}</Dimmed>
        </>
      )),
      column('state', t.state, (row) => <Badge color={colours[row.state]}>{t[row.state]}</Badge>),
      column('progress', t.progress, ({ progress, state }) => (
        <>
          <Progress
            value={progress.total === 0 ? 100 : (progress.done / progress.total) * 100}
            color={colours[state]}
            aria-label={t.progress}
          />
          <Dimmed size="xs">{t.progressOf(number(progress.done), number(progress.total))}</Dimmed>
        </>
      )),
      column('begun', t.begun, (row) => <Time at={row.createdAt} />),
      column('last', t.last, (row) => <Time at={row.finishedAt ?? row.updatedAt} />),
      column(
        'outcomes',
        unseen(t.outcomes),
        (row) =>
          hasOutcome(row) &&
          mayByKind('GET /admin/jobs/{id}', row.kind) && (
            <Button size="compact-sm" variant="default" onClick={() => onOutcomes(row._id)}>
              {row.kind === 'export' ? t.file : t.outcomes}
            </Button>
          ),
      ),
    ],
    [t, number, mayByKind, onOutcomes],
  )
}
