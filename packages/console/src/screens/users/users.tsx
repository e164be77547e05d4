import { Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { components } from '../../../generated/openapi.ts'
import { ChoiceFilter } from '../../components/choice-filter.tsx'
import { type Columns, column } from '../../components/data-table.tsx'
import { ExplorerLink } from '../../components/explorer-link.tsx'
import { TimeFilter } from '../../components/filters.tsx'
import { Listed } from '../../components/listed.tsx'
import { Page } from '../../components/page.tsx'
import { PersonLink } from '../../components/person.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Time, useNumber, visible } from '../../components/shown.tsx'
import { useApp } from '../../session/session.tsx'
import { commonTexts } from '../../texts/common.ts'
import { useTexts } from '../../texts/texts.ts'
import { mostFound, usersQuery } from './queries.ts'
import type { UsersSearch } from './search.ts'
import { usersTexts } from './texts.ts'
import { UserBadges } from './user-badges.tsx'

type User = components['schemas']['AdminUser']

const route = getRouteApi('/shell/apps/$app/users')

/** The users of a list, newest first, or those whose name or ID starts with the search text. */
export function Users() {
  const t = useTexts(usersTexts)
  const common = useTexts(commonTexts)
  const number = useNumber()
  const { app, api } = useApp()
  const search = route.useSearch()
  const { q, list, from, to, cursor } = search
  const navigate = route.useNavigate()
  const set = (change: UsersSearch) =>
    void navigate({ search: (now) => ({ ...now, cursor: undefined, ...change }), replace: true })
  const query = useQuery(usersQuery(app, api, search))
  const columns = useColumns()
  return (
    <Page title={t.users}>
      <div className="tools">
        <SearchField
          label={t.find}
          value={q ?? ''}
          onSearch={(next) => void navigate({ search: { q: next.trim() || undefined }, replace: true })}
        />
        <ChoiceFilter
          label={t.list}
          any={t.anyList}
          values={{ lastLogin: t.byLogin, banned: t.bannedOnes, robots: t.robots }}
          value={list}
          onChange={(next) => set({ q: undefined, list: next })}
        />
        <TimeFilter label={t.from} value={from} onChange={(next) => set({ q: undefined, from: next })} />
        <TimeFilter label={t.to} value={to} onChange={(next) => set({ q: undefined, to: next })} />
      </div>
      <Listed
        label={t.users}
        query={query}
        columns={columns}
        keyOf={({ _id }) => _id}
        count={({ hasMore }) => (hasMore ? common.shown(number(mostFound), common.atLeast(number(mostFound))) : '')}
        empty={
          Object.values(search).every((value) => value === undefined)
            ? { icon: 'users', title: t.noUsers, hint: <FirstHint /> }
            : { icon: 'users', title: t.noneFound, hint: q === undefined ? t.noneListedHint : t.noneFoundHint }
        }
        cursor={cursor}
        onPage={(to) => void navigate({ search: (now) => ({ ...now, cursor: to }) })}
      />
    </Page>
  )
}

function useColumns(): Columns<User> {
  const t = useTexts(usersTexts)
  return useMemo<Columns<User>>(
    () => [
      column('name', t.name, (row) => <PersonLink person={row} withId />),
      column('email', t.email, (row) => <Text size="sm">{visible(row.email ?? '')}</Text>),
      column('state', t.state, (row) => (
        <Group gap={4}>
          <UserBadges user={row} />
        </Group>
      )),
      column('lastLogin', t.lastLogin, (row) => <Time at={row.lastLoginTimeMS} />),
      column('created', t.created, (row) => <Time at={row.createdAt} />),
    ],
    [t],
  )
}

function FirstHint() {
  const t = useTexts(usersTexts)
  return (
    <>
      {t.noUsersHint} <ExplorerLink operation="POST /admin/clients" />
    </>
  )
}
