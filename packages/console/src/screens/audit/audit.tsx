import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { components } from '../../../generated/openapi.ts'
import type { Columns } from '../../components/data-table.tsx'
import { Diff } from '../../components/diff.tsx'
import { TextFilter, TimeFilter } from '../../components/filters.tsx'
import { Listed } from '../../components/listed.tsx'
import { Page } from '../../components/page.tsx'
import { Time, UserText, visible } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { auditQuery } from './query.ts'
import type { AuditSearch } from './search.ts'
import { auditTexts } from './texts.ts'

type Entry = components['schemas']['AuditEntry']

const route = getRouteApi('/shell/apps/$app/audit')

/** The audit log: changes with their actor, time, IP address, and values before and after. */
export function Audit() {
  const t = useTexts(auditTexts)
  const { app, api } = useApp()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: AuditSearch) =>
    void navigate({ search: (now) => ({ ...now, cursor: undefined, ...change }), replace: true })
  const { from, to } = search
  const query = useQuery(auditQuery(app, api, search))
  const columns = useColumns()
  return (
    <Page title={t.audit}>
      <div className="tools">
        <TextFilter label={t.actor} value={search.actor} onChange={(actor) => set({ actor })} isFirst />
        <TextFilter label={t.subject} value={search.subject} onChange={(subject) => set({ subject })} />
        <TextFilter label={t.action} value={search.action} onChange={(action) => set({ action })} />
        <TimeFilter label={t.from} value={from} onChange={(next) => set({ from: next })} />
        <TimeFilter label={t.to} value={to} onChange={(next) => set({ to: next })} />
      </div>
      <Listed
        label={t.audit}
        query={query}
        columns={columns}
        keyOf={({ id }) => id}
        empty={{ icon: 'shield', title: t.nothing, hint: t.nothingHint }}
        cursor={search.cursor}
        onPage={(page) => void navigate({ search: (now) => ({ ...now, cursor: page }) })}
      />
    </Page>
  )
}

function useColumns(): Columns<Entry> {
  const t = useTexts(auditTexts)
  return useMemo<Columns<Entry>>(
    () => [
      { id: 'time', header: t.time, cell: ({ row }) => <Time at={row.original.atMS} /> },
      {
        id: 'actor',
        header: t.actor,
        cell: ({ row: { original } }) => (
          <>
            <bdi>{visible(original.actorName ?? original.actor)}</bdi>
            <Text size="xs" c="dimmed">
              {[original.actorName !== undefined && original.actor, original.address].filter(Boolean).join(' · ')}
            </Text>
          </>
        ),
      },
      { id: 'action', header: t.action, cell: ({ row }) => row.original.action },
      {
        id: 'subject',
        header: t.subject,
        cell: ({ row }) => <bdi>{visible(`${row.original.subject.kind}:${row.original.subject.id}`)}</bdi>,
      },
      {
        id: 'change',
        header: t.change,
        cell: ({ row }) => <Change of={row.original} />,
      },
    ],
    [t],
  )
}

/** The reason of a read, or the values before and after a change. */
function Change({ of: { before, after } }: { of: Entry }) {
  const t = useTexts(auditTexts)
  if (before === undefined && after === undefined) return null
  const [[name, value] = [], ...rest] = Object.entries((after ?? {}) as Record<string, unknown>)
  if (before === undefined && name === 'reason' && rest.length === 0) {
    return (
      <Text size="sm">
        {t.reason}: <UserText text={String(value)} />
      </Text>
    )
  }
  return (
    <details>
      <summary>{t.values}</summary>
      <Diff before={textOf(before)} after={textOf(after)} />
    </details>
  )
}

const textOf = (value: unknown) => (value === undefined ? '' : JSON.stringify(value, null, 2))
