import { Badge, Code, Text } from '@mantine/core'
import { useMemo } from 'react'
import { type Columns, DataTable } from '../../components/data-table.tsx'
import { networkNames } from '../../components/networks.ts'
import { Facts, Section } from '../../components/page.tsx'
import { Time, useNumber } from '../../components/shown.tsx'
import { useTexts } from '../../texts/texts.ts'
import type { OverviewData } from './overview-data.ts'
import { overviewTexts } from './texts.ts'

type Process = NonNullable<OverviewData['processes']>[number]

/** The processes that serve the app, and the lag of the stream's consumers. */
export function Processes({ processes, lag }: { processes: Process[]; lag: OverviewData['lag'] }) {
  const t = useTexts(overviewTexts)
  const columns = useColumns()
  const number = useNumber()
  const consumers = Object.entries(lag ?? {})
  return (
    <>
      <Section title={t.processes}>
        <DataTable
          label={t.processes}
          columns={columns}
          rows={processes}
          keyOf={({ service, node }) => `${service} ${node}`}
        />
      </Section>
      {consumers.length > 0 && (
        <Section title={t.lag}>
          <Facts facts={consumers.map(([name, waiting]) => [name, number(waiting)])} />
        </Section>
      )}
    </>
  )
}

function useColumns(): Columns<Process> {
  const t = useTexts(overviewTexts)
  const number = useNumber()
  return useMemo<Columns<Process>>(
    () => [
      { id: 'service', header: t.service, cell: ({ row }) => row.original.service },
      { id: 'node', header: t.node, cell: ({ row }) => <Code>{row.original.node}</Code> },
      {
        id: 'state',
        header: t.state,
        cell: ({ row: { original } }) => (
          <Badge color={original.isSilent ? 'red' : 'teal'}>{original.isSilent ? t.silent : t.alive}</Badge>
        ),
      },
      { id: 'version', header: t.version, cell: ({ row }) => row.original.version },
      {
        id: 'memory',
        header: t.memory,
        cell: ({ row }) => `${number(Math.round(row.original.memoryBytes / 1024 / 1024))} MiB`,
      },
      { id: 'cpu', header: t.cpu, cell: ({ row }) => `${number(Math.round(row.original.cpu * 100))} %` },
      {
        id: 'connections',
        header: t.connections,
        cell: ({ row: { original } }) => (original.connections === undefined ? '' : number(original.connections)),
      },
      {
        id: 'credentials',
        header: t.credentials,
        cell: ({ row }) =>
          (row.original.credentials ?? []).map(({ network, app, state, name, lastError }) => (
            <div key={`${network} ${app ?? ''}`}>
              <Badge color={state === 'refused' ? 'red' : state === 'accepted' ? 'teal' : 'gray'}>
                {networkNames[network]} {state === 'refused' ? t.refusedCredentials : t[state]}
              </Badge>
              <Text size="xs" c="dimmed">
                {lastError === undefined ? name : `${name}: ${lastError}`}
              </Text>
            </div>
          )),
      },
      { id: 'started', header: t.started, cell: ({ row }) => <Time at={row.original.startedAtMS} /> },
    ],
    [t, number],
  )
}
