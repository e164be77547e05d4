import { Badge } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Act } from '../../components/act.tsx'
import { type Columns, DataTable } from '../../components/data-table.tsx'
import { Section } from '../../components/page.tsx'
import { PersonLink } from '../../components/person.tsx'
import { Time, useNumber } from '../../components/shown.tsx'
import { LoadedPages } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { AddDialog } from './add-dialog.tsx'
import { Bans } from './bans.tsx'
import type { Member } from './member.ts'
import { MemberMenu } from './member-menu.tsx'
import { membersQuery } from './queries.ts'
import type { AdminRoom } from './room-actions.tsx'
import { roomsTexts } from './texts.ts'

/** A room's members with roles, read markers and bans, and the operator's actions on them. */
export function Members({ room }: { room: AdminRoom }) {
  const t = useTexts(roomsTexts)
  const number = useNumber()
  const { app, api, may } = useApp()
  const [isAdding, setAdding] = useState(false)
  const query = useInfiniteQuery(membersQuery(app, api, room._id))
  const columns = useColumns(room)
  return (
    <>
      <Section
        title={`${t.members} · ${number(room.memberCount)}`}
        actions={
          room.roomType === 'group' && (
            <Act operation="POST /rooms/{id}/members" icon="plus" label={t.add} onClick={() => setAdding(true)} />
          )
        }
      >
        {isAdding && <AddDialog room={room._id} onClose={() => setAdding(false)} />}
        <LoadedPages query={query}>
          {(pages) => (
            <DataTable
              label={t.members}
              columns={columns}
              rows={pages.flatMap(({ data }) => data)}
              keyOf={({ _id }) => _id}
            />
          )}
        </LoadedPages>
      </Section>
      {room.roomType === 'group' && may('GET /admin/rooms/{id}/bans') && <Bans room={room._id} />}
    </>
  )
}

function useColumns(room: AdminRoom): Columns<Member> {
  const t = useTexts(roomsTexts)
  const common = useTexts(commonTexts)
  const number = useNumber()
  return useMemo<Columns<Member>>(
    () => [
      { id: 'name', header: t.name, cell: ({ row }) => <PersonLink person={row.original} withId /> },
      {
        id: 'role',
        header: t.role,
        cell: ({ row: { original } }) => (
          <span className="badges">
            <Badge color={original.role === 'member' ? 'gray' : 'indigo'}>{t[original.role]}</Badge>
            {original.blocked && <Badge color="red">{t.bannedHere}</Badge>}
          </span>
        ),
      },
      { id: 'joined', header: t.joined, cell: ({ row }) => <Time at={row.original.joinedAtMS} /> },
      {
        id: 'read',
        header: t.read,
        cell: ({ row }) => {
          const behind = room.messageCount - row.original.readSeq
          return behind > 0 ? t.behind(number(behind)) : '✓'
        },
      },
      { id: 'actions', header: common.actions, cell: ({ row }) => <MemberMenu room={room} member={row.original} /> },
    ],
    [t, common, number, room],
  )
}
