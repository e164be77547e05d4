import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { useChanged } from '../../components/act.tsx'
import { say } from '../../components/confirm.tsx'
import { type Columns, column, DataTable, Pager, unseen } from '../../components/data-table.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { Section } from '../../components/page.tsx'
import { PersonLink } from '../../components/person.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { Time } from '../../components/shown.tsx'
import { Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { bansPerPage, bansQuery } from './queries.ts'
import { roomsTexts } from './texts.ts'

type Ban = components['schemas']['Ban']

/** The active bans in a room, oldest first: also of users who are no longer members. */
export function Bans({ room }: { room: string }) {
  const t = useTexts(roomsTexts)
  const { app, api } = useApp()
  const [skip, setSkip] = useState(0)
  const query = useQuery(bansQuery(app, api, room, skip))
  const columns = useColumns(room)
  return (
    <Section title={t.bans}>
      <Loaded query={query} rows={2}>
        {(bans) =>
          bans.length === 0 && skip === 0 ? (
            <Dimmed>{t.noBans}</Dimmed>
          ) : (
            <>
              <DataTable
                label={t.bans}
                columns={columns}
                rows={bans.slice(0, bansPerPage)}
                keyOf={({ blockee }) => blockee._id}
                isStale={query.isPlaceholderData}
              />
              <Pager
                cursor={skip > 0 ? String(skip) : undefined}
                next={bans.length > bansPerPage ? String(skip + bansPerPage) : undefined}
                onPage={(to) => setSkip(Number(to ?? 0))}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function useColumns(room: string): Columns<Ban> {
  const t = useTexts(roomsTexts)
  const { api, may } = useApp()
  const changed = useChanged()
  const mayLift = may('DELETE /blockStatus/room/{roomID}/{blockee}')
  return useMemo<Columns<Ban>>(
    () => [
      column('name', t.name, (row) => <PersonLink person={row.blockee} withId />),
      column('since', t.since, (row) => <Time at={row.createdAt} />),
      column('until', t.until, (row) => (row.untilMS === undefined ? t.forGood : <Time at={row.untilMS} />)),
      column('lift', unseen(t.unban), (row) => {
        const lift = async () => {
          const params = { path: { roomID: room, blockee: row.blockee._id } }
          await resultOf(api.DELETE('/blockStatus/room/{roomID}/{blockee}', { params }))
          say(t.unbanDone)
          await changed()
        }
        return mayLift && <RunButton size="compact-sm" label={t.unban} run={lift} />
      }),
    ],
    [t, api, changed, mayLift, room],
  )
}
