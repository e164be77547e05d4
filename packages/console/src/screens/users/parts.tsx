import { Alert, Badge, Code, Table } from '@mantine/core'
import type { ReactNode } from 'react'
import { Dimmed } from '../../components/dimmed.tsx'
import { networkNames } from '../../components/networks.ts'
import { Section } from '../../components/page.tsx'
import { PersonLink, RoomLink } from '../../components/person.tsx'
import { Time, UserText } from '../../components/shown.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import type { Inspected } from './inspected.ts'
import { usersTexts } from './texts.ts'

interface Row {
  key: string
  cells: ReactNode[]
}

/** A short table, or a sentence if it is empty. */
function Rows({ title, none, head, rows }: { title: string; none: string; head: string[]; rows: Row[] }) {
  const t = useTexts(commonTexts)
  return (
    <Section title={title}>
      {rows.length === 0 ? (
        <Dimmed>{none}</Dimmed>
      ) : (
        // Focusable, so that the keyboard can scroll it.
        <Table.ScrollContainer minWidth={560} type="native" role="region" tabIndex={0} aria-label={t.tableOf(title)}>
          <Table verticalSpacing={6} fz="sm" aria-label={title}>
            <Table.Thead>
              <Table.Tr>
                {head.map((name) => (
                  <Table.Th key={name}>{name}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ key, cells }) => (
                <Table.Tr key={key}>
                  {cells.map((cell, i) => (
                    <Table.Td key={head[i]}>{cell}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Section>
  )
}

export function Connections({ connections: { data, silentNodes } }: { connections: Inspected['connections'] }) {
  const t = useTexts(usersTexts)
  return (
    <>
      <Rows
        title={t.connections}
        none={t.noConnections}
        head={[t.device, t.node, t.since, t.program]}
        rows={data.map(({ deviceId, node, sinceMS, userAgent, transport }) => ({
          key: `${deviceId} ${node} ${sinceMS}`,
          cells: [
            <UserText key="device" text={deviceId} />,
            `${node} · ${transport}`,
            <Time key="since" at={sinceMS} />,
            <UserText key="program" text={userAgent} />,
          ],
        }))}
      />
      {silentNodes.length > 0 && <Alert color="yellow">{t.silentNodes(silentNodes.join(', '))}</Alert>}
    </>
  )
}

export function Tokens({ tokens }: { tokens: Inspected['tokens'] }) {
  const t = useTexts(usersTexts)
  return (
    <Rows
      title={t.tokens}
      none={t.noTokens}
      head={[t.fingerprint, t.state, t.created, t.lastUsed, t.expires]}
      rows={tokens.map(({ fingerprint, createdAt, expirationDate, lastUsedTime, isInForce }) => ({
        key: fingerprint,
        cells: [
          <Code key="fingerprint">{fingerprint}</Code>,
          <Badge key="state" miw="max-content" color={isInForce ? 'teal' : 'gray'}>
            {isInForce ? t.inForce : t.expired}
          </Badge>,
          <Time key="created" at={createdAt} />,
          <Time key="used" at={lastUsedTime} />,
          <Time key="expires" at={expirationDate} />,
        ],
      }))}
    />
  )
}

export function Devices({ devices }: { devices: Inspected['devices'] }) {
  const t = useTexts(usersTexts)
  return (
    <Rows
      title={t.devices}
      none={t.noDevices}
      head={[t.device, t.network, t.fingerprint, t.updated, t.lastError]}
      rows={devices.map(({ deviceId, type, topic, fingerprint, updatedAt, lastError }) => ({
        key: `${deviceId} ${type}`,
        cells: [
          <UserText key="device" text={deviceId} />,
          [networkNames[type], topic].filter((each) => each !== undefined).join(' · '),
          <Code key="fingerprint">{fingerprint}</Code>,
          <Time key="updated" at={updatedAt} />,
          lastError && <UserText key="error" text={lastError.reason} />,
        ],
      }))}
    />
  )
}

export function Bans({ bans }: { bans: Inspected['bans'] }) {
  const t = useTexts(usersTexts)
  return (
    <Rows
      title={t.bans}
      none={t.noBans}
      head={[t.room, t.since, t.until]}
      rows={bans.map(({ room, createdAt, untilMS }) => ({
        key: room,
        cells: [
          <RoomLink key="room" id={room} name={undefined} />,
          <Time key="since" at={createdAt} />,
          untilMS === undefined ? t.forGood : <Time key="until" at={untilMS} />,
        ],
      }))}
    />
  )
}

export function Blocks({ blocks }: { blocks: Inspected['blocks'] }) {
  const t = useTexts(usersTexts)
  return (
    <Rows
      title={t.blocks}
      none={t.noBlocks}
      head={[t.name, t.since]}
      rows={blocks.map(({ blockee, createdAt }) => ({
        key: blockee._id,
        cells: [<PersonLink key="person" person={blockee} withId />, <Time key="since" at={createdAt} />],
      }))}
    />
  )
}
