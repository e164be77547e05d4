import { Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { components } from '../../../generated/openapi.ts'
import { type Api, resultOf } from '../../api.ts'
import { Dimmed } from '../../components/dimmed.tsx'
import { TextFilter, TimeFilter } from '../../components/filters.tsx'
import { type Names, useNames } from '../../components/names.ts'
import { Name, Time, UserText, ViewLink } from '../../components/shown.tsx'
import { Empty, LoadedPages } from '../../components/states.tsx'
import { useApp } from '../../session/session.tsx'
import { useTexts } from '../../texts/texts.ts'
import { WithReason } from '../rooms/conversation/reason.tsx'
import { messageSearch } from '../rooms/searches.ts'
import type { ModerationSearch } from './search.ts'
import { moderationTexts } from './texts.ts'

const route = getRouteApi('/shell/apps/$app/moderation')

/** Searches the messages of all rooms by words, room, sender, type and time. It needs a reason. */
export function MessageSearch() {
  const t = useTexts(moderationTexts)
  const { keyword, room, sender, type, from, to } = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: ModerationSearch) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })
  const isAsked = [keyword, room, sender, type, from, to].some((filter) => filter !== undefined)
  return (
    <WithReason about="messages of all rooms">
      {(api) => (
        <>
          <div className="tools">
            <TextFilter label={t.keyword} value={keyword} onChange={(next) => set({ keyword: next })} isFirst />
            <TextFilter label={t.room} value={room} onChange={(next) => set({ room: next })} />
            <TextFilter label={t.senderId} value={sender} onChange={(next) => set({ sender: next })} />
            <TextFilter label={t.type} value={type} onChange={(next) => set({ type: next })} />
            <TimeFilter label={t.from} value={from} onChange={(next) => set({ from: next })} />
            <TimeFilter label={t.to} value={to} onChange={(next) => set({ to: next })} />
          </div>
          {isAsked ? (
            <Found api={api} search={{ keyword, room, sender, type, from, to }} />
          ) : (
            <Empty icon="search" title={t.searchAsk}>
              {t.searchHint}
            </Empty>
          )}
        </>
      )}
    </WithReason>
  )
}

function Found({ api, search }: { api: Api; search: ModerationSearch }) {
  const t = useTexts(moderationTexts)
  const { app } = useApp()
  const { keyword, room, sender, type, from, to } = search
  const query = useInfiniteQuery({
    queryKey: [app, 'search of all', search],
    queryFn: ({ pageParam, signal }) => {
      const body = {
        limit: 50,
        ...(keyword !== undefined && { keyword }),
        ...(room !== undefined && { room }),
        ...(sender !== undefined && { sender }),
        ...(type !== undefined && { messageType: type }),
        ...(from !== undefined && { afterTimeMS: Number(from) }),
        ...(to !== undefined && { beforeTimeMS: Number(to) }),
        ...(pageParam && { cursor: pageParam }),
      }
      return resultOf(api.POST('/admin/search', { body, signal }))
    },
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  })
  const pages = query.data?.pages.map(({ data }) => data) ?? []
  const names = {
    users: useNames(
      'users',
      pages.map((page) => page.map((each) => each.sender)),
    ),
    rooms: useNames(
      'rooms',
      pages.map((page) => page.map((each) => each.room)),
    ),
  }
  return (
    <LoadedPages query={query}>
      {() => {
        const found = pages.flat()
        if (found.length === 0) return <Empty icon="search" title={t.foundNone} />
        return (
          <Stack gap={4} component="ul" className="sessions" aria-label={t.search}>
            {found.map((each) => (
              <FoundMessage key={each._id} found={each} names={names} />
            ))}
          </Stack>
        )
      }}
    </LoadedPages>
  )
}

function FoundMessage({
  found,
  names,
}: {
  found: components['schemas']['SearchAllMessagesItem']
  names: { users: Names; rooms: Names }
}) {
  const t = useTexts(moderationTexts)
  const { app } = useApp()
  const { _id, room: of, sender: by, text, messageTimeMS, threadOf } = found
  return (
    <li>
      <div className="grow report-body">
        <Dimmed size="xs">
          <ViewLink to="/apps/$app/users/$user" params={{ app, user: by }} size="xs">
            <Name name={names.users.get(by)} id={by} />
          </ViewLink>{' '}
          · <Name name={names.rooms.get(of)} id={of} /> · <Time at={messageTimeMS} />
        </Dimmed>
        <Text size="sm" lineClamp={3}>
          <UserText text={text} />
        </Text>
      </div>
      <ViewLink to="/apps/$app/rooms/$room" params={{ app, room: of }} search={messageSearch(_id, threadOf)} size="sm">
        {t.openRoom}
      </ViewLink>
    </li>
  )
}
