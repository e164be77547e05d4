import { Badge, Textarea } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { resultOf } from '../../api.ts'
import { Act, useChanged } from '../../components/act.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { type Columns, column, DataTable } from '../../components/data-table.tsx'
import { textProps } from '../../components/field-props.ts'
import { Section } from '../../components/page.tsx'
import { PersonLink } from '../../components/person.tsx'
import { Time, useNumber } from '../../components/shown.tsx'
import { LoadedPages } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
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
      column('name', t.name, (row) => <PersonLink person={row} withId />),
      column('role', t.role, (row) => (
        <span className="badges">
          <Badge color={row.role === 'member' ? 'gray' : 'indigo'}>{t[row.role]}</Badge>
          {row.blocked && <Badge color="red">{t.bannedHere}</Badge>}
        </span>
      )),
      column('joined', t.joined, (row) => <Time at={row.joinedAtMS} />),
      column('read', t.read, (row) => {
        const behind = room.messageCount - row.readSeq
        return behind > 0 ? t.behind(number(behind)) : '✓'
      }),
      column('actions', common.actions, (row) => <MemberMenu room={room} member={row} />),
    ],
    [t, common, number, room],
  )
}

function AddDialog({ room, onClose }: { room: string; onClose: () => void }) {
  const t = useTexts(roomsTexts)
  const { api } = useApp()
  const changed = useChanged()
  const [typed, setTyped] = useState('')
  const invitees = typed
    .split('\n')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  const add = async () => {
    await resultOf(api.POST('/rooms/{id}/members', { params: { path: { id: room } }, body: { invitees } }))
    await changed()
  }
  return (
    <Confirm title={t.add} action={t.add} done={t.addDone} run={add} onClose={onClose} isReady={invitees.length > 0}>
      <Textarea data-autofocus label={t.addHint} autosize minRows={2} maxRows={8} {...textProps(typed, setTyped)} />
    </Confirm>
  )
}
