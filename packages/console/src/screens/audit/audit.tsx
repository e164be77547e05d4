import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { type Columns, column } from '../../components/data-table.tsx'
import { Diff } from '../../components/diff.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { TextFilter, TimeFilter } from '../../components/filters.tsx'
import { Listed } from '../../components/listed.tsx'
import { Page } from '../../components/page.tsx'
import { Time, UserText, visible } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { texts, useTexts } from '../../texts/texts.ts'
import { auditQuery } from './query.ts'
import type { AuditSearch } from './search.ts'

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
      column('time', t.time, (row) => <Time at={row.atMS} />),
      column('actor', t.actor, (row) => (
        <>
          <bdi>{visible(row.actorName ?? row.actor)}</bdi>
          <Dimmed size="xs">
            {[row.actorName !== undefined && row.actor, row.address].filter(Boolean).join(' · ')}
          </Dimmed>
        </>
      )),
      column('action', t.action, (row) => row.action),
      column('subject', t.subject, (row) => <bdi>{visible(`${row.subject.kind}:${row.subject.id}`)}</bdi>),
      column('change', t.change, (row) => <Change of={row} />),
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

const auditTexts = texts(
  {
    audit: 'Audit log',
    actor: 'Actor',
    subject: 'Subject',
    action: 'Action',
    from: 'From',
    to: 'To',
    time: 'Time',
    change: 'Change',
    reason: 'Reason',
    values: 'Before and after',
    nothing: 'No matching changes',
    nothingHint: 'Example actor: key:9f86d081884c. Example subject: room:demo-room.',
  },
  {
    audit: '审计日志',
    actor: '操作者',
    subject: '对象',
    action: '操作',
    from: '从',
    to: '到',
    time: '时间',
    change: '变更',
    reason: '原因',
    values: '变更前后',
    nothing: '没有匹配的变更',
    nothingHint: '操作者如 key:9f86d081884c，对象如 room:demo-room。',
  },
)
