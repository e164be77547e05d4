import { Badge, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import type { operations } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { Act, useChanged } from '../../components/act.tsx'
import { say } from '../../components/confirm.tsx'
import { type Columns, DataTable, Pager } from '../../components/data-table.tsx'
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
            <Text size="sm" c="dimmed">
              {t.noRooms}
            </Text>
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
      {
        id: 'room',
        header: t.room,
        cell: ({ row }) => <RoomLink id={row.original._id} name={row.original.name} withId />,
      },
      { id: 'role', header: t.role, cell: ({ row }) => t[row.original.role] },
      {
        id: 'unread',
        header: t.unread,
        cell: ({ row }) =>
          row.original.unread > 0 ? <Badge>{number(row.original.unread)}</Badge> : number(row.original.unread),
      },
      { id: 'last', header: t.lastMessage, cell: ({ row }) => <Time at={row.original.lastMessageTimeMS} /> },
      {
        id: 'muted',
        header: t.muted,
        cell: ({
          row: {
            original: { _id: room, muted },
          },
        }) => (
          <Act
            operation={muted ? 'DELETE /admin/clients/{uid}/mute/{room}' : 'POST /admin/clients/{uid}/mute/{room}'}
            icon="mute"
            label={muted ? t.unmute : t.mute}
            onClick={() => mutate({ room, muted })}
          />
        ),
      },
    ],
    [t, number, mutate],
  )
  return { columns, error }
}
