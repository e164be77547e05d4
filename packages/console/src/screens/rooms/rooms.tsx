import { Badge, Select, TextInput } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { resultOf } from '../../api.ts'
import { type Columns, DataTable, Pager } from '../../components/data-table.tsx'
import { Page } from '../../components/page.tsx'
import { RoomLink } from '../../components/person.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Time, useNumber, visible } from '../../components/shown.tsx'
import { Empty, Loaded } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import type { RoomsSearch } from './searches.ts'
import { roomsTexts } from './texts.ts'

type ListedRoom = components['schemas']['ListedRoom']

const route = getRouteApi('/shell/apps/$app/rooms')
const firstSort = '-lastMessageTime'

/** The rooms of the app that the filters leave, the latest used first. */
export function Rooms() {
  const t = useTexts(roomsTexts)
  const common = useTexts(commonTexts)
  const number = useNumber()
  const { app, api } = useApp()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { sort = firstSort, cursor } = search
  const q = filterOf(search)
  const query = useQuery({
    queryKey: [app, 'rooms', q, sort, cursor],
    queryFn: ({ signal }) =>
      resultOf(
        api.GET('/admin/rooms', {
          params: { query: { sort, limit: 50, ...(q && { q }), ...(cursor && { cursor }) } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const columns = useColumns()
  // Another filter or order begins with its first page.
  const put = (some: RoomsSearch) =>
    void navigate({ search: (now) => ({ ...now, cursor: undefined, ...some }), replace: true })
  return (
    <Page title={t.rooms}>
      <Filters search={search} onFilter={put} />
      <Loaded query={query}>
        {({ data, totalCount, totalIsExact, cursor: next }) =>
          data.length === 0 ? (
            <Empty icon="rooms" title={q === undefined ? t.noRooms : t.noneFound}>
              {q === undefined ? t.noRoomsHint : t.noneFoundHint}
            </Empty>
          ) : (
            <>
              <DataTable
                label={t.rooms}
                columns={columns}
                rows={data}
                keyOf={({ _id }) => _id}
                isStale={query.isPlaceholderData}
                sorting={{
                  sort,
                  columns: ['name', 'memberCount', 'lastMessageTime', 'createdTime'],
                  onSort: (to) => put({ sort: to as NonNullable<RoomsSearch['sort']> }),
                }}
              />
              <Pager
                count={common.shown(
                  number(data.length),
                  totalIsExact ? number(totalCount) : common.atLeast(number(totalCount)),
                )}
                cursor={cursor}
                next={next}
                onPage={(to) => void navigate({ search: (now) => ({ ...now, cursor: to }) })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function Filters({ search, onFilter }: { search: RoomsSearch; onFilter: (some: RoomsSearch) => void }) {
  const t = useTexts(roomsTexts)
  return (
    <div className="tools">
      <SearchField
        label={t.find}
        value={search.q ?? ''}
        onSearch={(next) => onFilter({ q: next.trim() || undefined })}
      />
      <Select
        aria-label={t.type}
        placeholder={t.anyType}
        clearable
        w={150}
        data={[
          { value: 'group' as const, label: t.group },
          { value: 'direct' as const, label: t.direct },
        ]}
        value={search.type ?? null}
        onChange={(type) => onFilter({ type: type ?? undefined })}
      />
      <Select
        aria-label={t.state}
        placeholder={t.anyState}
        clearable
        w={150}
        data={[
          { value: 'active' as const, label: t.active },
          { value: 'frozen' as const, label: t.frozen },
        ]}
        value={search.state ?? null}
        onChange={(state) => onFilter({ state: state ?? undefined })}
      />
      <TextInput
        aria-label={t.tag}
        placeholder={t.tag}
        w={130}
        defaultValue={search.tag ?? ''}
        onBlur={(event) => onFilter({ tag: event.currentTarget.value.trim() || undefined })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onFilter({ tag: event.currentTarget.value.trim() || undefined })
        }}
      />
    </div>
  )
}

/** The filter `q` of GET /admin/rooms; undefined for all rooms. */
function filterOf({ q, type, state, tag }: RoomsSearch): string | undefined {
  const all = [
    ...(q === undefined ? [] : [{ $or: [{ _id: q }, { name: { $regex: escaped(q), $options: 'i' } }] }]),
    ...(type === undefined ? [] : [{ roomType: type }]),
    ...(state === undefined ? [] : [{ status: state === 'active' ? 1 : 0 }]),
    ...(tag === undefined ? [] : [{ roomTags: tag }]),
  ]
  return all.length === 0 ? undefined : JSON.stringify(all.length === 1 ? all[0] : { $and: all })
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

function useColumns(): Columns<ListedRoom> {
  const t = useTexts(roomsTexts)
  const number = useNumber()
  return useMemo<Columns<ListedRoom>>(
    () => [
      {
        id: 'name',
        header: t.name,
        cell: ({ row }) => <RoomLink id={row.original._id} name={row.original.name} withId />,
      },
      {
        id: 'type',
        header: t.type,
        cell: ({ row: { original } }) => (
          <span className="badges">
            <Badge variant="light" color="gray">
              {t[original.roomType]}
            </Badge>
            {original.status === 0 && (
              <Badge variant="light" color="blue">
                {t.frozen}
              </Badge>
            )}
            {original.roomTags.map((tag) => (
              <Badge key={tag} variant="default" tt="none">
                {visible(tag)}
              </Badge>
            ))}
          </span>
        ),
      },
      { id: 'memberCount', header: t.members, cell: ({ row }) => number(row.original.memberCount) },
      { id: 'messages', header: t.messages, cell: ({ row }) => number(row.original.messageCount) },
      { id: 'lastMessageTime', header: t.lastMessage, cell: ({ row }) => <Time at={row.original.lastMessageTimeMS} /> },
      { id: 'createdTime', header: t.created, cell: ({ row }) => <Time at={row.original.createdTimeMS} /> },
    ],
    [t, number],
  )
}
