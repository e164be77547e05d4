import { Badge, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { ChoiceFilter } from '../../components/choice-filter.tsx'
import { type Columns, column } from '../../components/data-table.tsx'
import { ExplorerLink } from '../../components/explorer-link.tsx'
import { textProps } from '../../components/field-props.ts'
import { Listed } from '../../components/listed.tsx'
import { Page } from '../../components/page.tsx'
import { RoomLink } from '../../components/person.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Time, useNumber, visible } from '../../components/shown.tsx'
import { useUrlText } from '../../components/use-url-text.ts'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { filterOf, roomsQuery } from './queries.ts'
import { firstSort, type RoomsSearch } from './searches.ts'
import { roomsTexts } from './texts.ts'

type ListedRoom = components['schemas']['ListedRoom']

const route = getRouteApi('/shell/apps/$app/rooms')

/** The app's rooms that match the filters, by latest message. */
export function Rooms() {
  const t = useTexts(roomsTexts)
  const common = useTexts(commonTexts)
  const number = useNumber()
  const { app, api } = useApp()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { sort = firstSort, cursor } = search
  const q = filterOf(search)
  const text = search.q
  const query = useQuery(roomsQuery(app, api, search))
  const columns = useColumns()
  // A new filter or order starts at the first page.
  const put = (some: RoomsSearch) =>
    void navigate({ search: (now) => ({ ...now, cursor: undefined, ...some }), replace: true })
  return (
    <Page title={t.rooms}>
      <Filters search={search} onFilter={put} />
      <Listed
        label={t.rooms}
        query={query}
        columns={columns}
        keyOf={({ _id }) => _id}
        // Search results are ordered by name.
        sorting={
          text === undefined
            ? {
                sort,
                columns: ['name', 'memberCount', 'lastMessageTime', 'createdTime'],
                onSort: (to) => put({ sort: to as NonNullable<RoomsSearch['sort']> }),
              }
            : undefined
        }
        count={({ data, totalCount, totalIsExact }) =>
          common.shown(number(data.length), totalIsExact ? number(totalCount) : common.atLeast(number(totalCount)))
        }
        empty={
          q === undefined && text === undefined
            ? { icon: 'rooms', title: t.noRooms, hint: <FirstHint /> }
            : { icon: 'rooms', title: t.noneFound, hint: t.noneFoundHint }
        }
        cursor={cursor}
        onPage={(to) => void navigate({ search: (now) => ({ ...now, cursor: to }) })}
      />
    </Page>
  )
}

function Filters({ search, onFilter }: { search: RoomsSearch; onFilter: (some: RoomsSearch) => void }) {
  const t = useTexts(roomsTexts)
  const [tag, putTag] = useUrlText(search.tag ?? '', (next) => onFilter({ tag: next.trim() || undefined }))
  return (
    <div className="tools">
      <SearchField
        label={t.find}
        value={search.q ?? ''}
        onSearch={(next) => onFilter({ q: next.trim() || undefined })}
      />
      <ChoiceFilter
        label={t.type}
        any={t.anyType}
        values={{ group: t.group, direct: t.direct }}
        value={search.type}
        onChange={(type) => onFilter({ type })}
      />
      <ChoiceFilter
        label={t.state}
        any={t.anyState}
        values={{ active: t.active, frozen: t.frozen }}
        value={search.state}
        onChange={(state) => onFilter({ state })}
      />
      <TextInput aria-label={t.tag} placeholder={t.tag} w={130} {...textProps(tag, putTag)} />
    </div>
  )
}

function useColumns(): Columns<ListedRoom> {
  const t = useTexts(roomsTexts)
  const number = useNumber()
  return useMemo<Columns<ListedRoom>>(
    () => [
      column('name', t.name, (row) => <RoomLink id={row._id} name={row.name} withId />),
      column('type', t.type, (row) => (
        <span className="badges">
          <Badge color="gray">{t[row.roomType]}</Badge>
          {row.status === 0 && <Badge color="blue">{t.frozen}</Badge>}
          {row.roomTags.map((tag) => (
            <Badge key={tag} variant="default">
              {visible(tag)}
            </Badge>
          ))}
        </span>
      )),
      column('memberCount', t.members, (row) => number(row.memberCount)),
      column('messages', t.messages, (row) => number(row.messageCount)),
      column('lastMessageTime', t.lastMessage, (row) => <Time at={row.lastMessageTimeMS} />),
      column('createdTime', t.created, (row) => <Time at={row.createdTimeMS} />),
    ],
    [t, number],
  )
}

function FirstHint() {
  const t = useTexts(roomsTexts)
  return (
    <>
      {t.noRoomsHint} <ExplorerLink operation="POST /rooms/" />
    </>
  )
}
