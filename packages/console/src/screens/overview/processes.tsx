import { Badge, Code } from '@mantine/core'
import { useMemo } from 'react'
import { type Columns, column, DataTable } from '../../components/data-table.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
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
      column('service', t.service, (row) => row.service),
      column('node', t.node, (row) => <Code>{row.node}</Code>),
      column('state', t.state, (row) => (
        <Badge color={row.isSilent ? 'red' : 'teal'}>{row.isSilent ? t.silent : t.alive}</Badge>
      )),
      column('version', t.version, (row) => row.version),
      column('memory', t.memory, (row) => `${number(Math.round(row.memoryBytes / 1024 / 1024))} MiB`),
      column('cpu', t.cpu, (row) => `${number(Math.round(row.cpu * 100))} %`),
      column('connections', t.connections, (row) => (row.connections === undefined ? '' : number(row.connections))),
      column('credentials', t.credentials, (row) =>
        (row.credentials ?? []).map(({ network, app, state, name, lastError }) => (
          <div key={`${network} ${app ?? ''}`}>
            <Badge color={state === 'refused' ? 'red' : state === 'accepted' ? 'teal' : 'gray'}>
              {networkNames[network]} {state === 'refused' ? t.refusedCredentials : t[state]}
            </Badge>
            <Dimmed size="xs">{lastError === undefined ? name : `${name}: ${lastError}`}</Dimmed>
          </div>
        )),
      ),
      column('started', t.started, (row) => <Time at={row.startedAtMS} />),
    ],
    [t, number],
  )
}
