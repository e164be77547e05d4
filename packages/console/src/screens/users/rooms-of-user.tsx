import { Badge } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { operations } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { Act, useChanged } from '../../components/act.tsx'
import { say } from '../../components/confirm.tsx'
import { type Columns, column, DataTable, Pager } from '../../components/data-table.tsx'
import { Dimmed } from '../../components/dimmed.tsx'
import { Section } from '../../components/page.tsx'
import { RoomLink } from '../../components/person.tsx'
import { Time, useNumber } from '../../components/shown.tsx'
import { Failure, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { roomsOfUserQuery, roomsPerPage } from './queries.ts'
import { usersTexts } from './texts.ts'

type RoomOfUser =
  operations['inspectRoomsOfUser']['responses'][200]['content']['application/json']['result']['data'][number]

/** A user's rooms, by latest message. */
export function RoomsOfUser({ user }: { user: string }) {
  const t = useTexts(usersTexts)
  const common = useTexts(commonTexts)
  const number = useNumber()
  const { app, api } = useApp()
  const [skip, setSkip] = useState(0)
  const query = useQuery(roomsOfUserQuery(app, api, user, skip))
  const { columns, error } = useColumns(user)
  return (
    <Section title={t.rooms}>
      {error && <Failure error={error} />}
      <Loaded query={query} rows={3}>
        {({ totalCount, data }) =>
          totalCount === 0 ? (
            <Dimmed>{t.noRooms}</Dimmed>
          ) : (
            <>
              <DataTable
                label={t.rooms}
                columns={columns}
                rows={data}
                keyOf={({ _id }) => _id}
                isStale={query.isPlaceholderData}
              />
              <Pager
                count={common.shown(`${number(skip + 1)}–${number(skip + data.length)}`, number(totalCount))}
                cursor={skip > 0 ? String(skip) : undefined}
                next={skip + roomsPerPage < totalCount ? String(skip + roomsPerPage) : undefined}
                onPage={(to) => setSkip(Number(to ?? 0))}
              />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function useColumns(user: string): { columns: Columns<RoomOfUser>; error: Error | null } {
  const t = useTexts(usersTexts)
  const number = useNumber()
  const { api } = useApp()
  const changed = useChanged()
  const { mutate, error } = useMutation({
    mutationFn: async ({ room, muted }: { room: string; muted: boolean }) => {
      const params = { path: { uid: user, room } }
      await resultOf(
        muted
          ? api.DELETE('/admin/clients/{uid}/mute/{room}', { params })
          : api.POST('/admin/clients/{uid}/mute/{room}', { params }),
      )
      await changed()
      say(muted ? t.unmuteDone : t.muteDone)
    },
  })
  const columns = useMemo<Columns<RoomOfUser>>(
    () => [
      column('room', t.room, (row) => <RoomLink id={row._id} name={row.name} withId />),
      column('role', t.role, (row) => t[row.role]),
      column('unread', t.unread, (row) => (row.unread > 0 ? <Badge>{number(row.unread)}</Badge> : number(row.unread))),
      column('last', t.lastMessage, (row) => <Time at={row.lastMessageTimeMS} />),
      column('muted', t.muted, ({ _id: room, muted }) => (
        <Act
          operation={muted ? 'DELETE /admin/clients/{uid}/mute/{room}' : 'POST /admin/clients/{uid}/mute/{room}'}
          icon="mute"
          label={muted ? t.unmute : t.mute}
          onClick={() => mutate({ room, muted })}
        />
      )),
    ],
    [t, number, mutate],
  )
  return { columns, error }
}
