import { Stack, Text, UnstyledButton } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { resultOf } from '../../../api.ts'
import { Dimmed } from '../../../components/dimmed.tsx'
import { useNames } from '../../../components/names.ts'
import { Name, Time, UserText } from '../../../components/shown.tsx'
import { LoadedPages } from '../../../components/states.tsx'
import { useApp } from '../../../session/session.tsx'
import { useTexts } from '../../../texts/texts.ts'
import { useReadingApi } from './reading.ts'
import { conversationTexts } from './texts.ts'

/** The messages of a room that match some words, newest first. */
export function SearchPanel({
  room,
  keyword,
  onFound,
}: {
  room: string
  keyword: string
  onFound: (message: string, thread: string | undefined) => void
}) {
  const t = useTexts(conversationTexts)
  const { app } = useApp()
  const api = useReadingApi()
  const query = useInfiniteQuery({
    queryKey: [app, 'search', room, keyword],
    queryFn: ({ pageParam, signal }) =>
      resultOf(
        api.POST('/admin/search', {
          body: { room, keyword, limit: 30, ...(pageParam && { cursor: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ cursor }) => cursor,
  })
  const pages = query.data?.pages.map(({ data }) => data) ?? []
  const names = useNames(
    'users',
    pages.map((page) => page.map(({ sender }) => sender)),
  )
  return (
    <LoadedPages query={query} rows={4}>
      {() => {
        const found = pages.flat()
        if (found.length === 0) {
          return <Dimmed role="status">{t.foundNone}</Dimmed>
        }
        return (
          <Stack gap={4}>
            {found.map(({ _id, sender, text, messageTimeMS, threadOf }) => (
              <UnstyledButton key={_id} className="found" onClick={() => onFound(_id, threadOf)}>
                <Dimmed size="xs">
                  <Name name={names.get(sender)} id={sender} /> · <Time at={messageTimeMS} />
                  {threadOf !== undefined && ` · ${t.thread}`}
                </Dimmed>
                <Text size="sm" lineClamp={3}>
                  <UserText text={text} />
                </Text>
              </UnstyledButton>
            ))}
          </Stack>
        )
      }}
    </LoadedPages>
  )
}
