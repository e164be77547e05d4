import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ApiFailure } from '../api.ts'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { Dimmed } from './dimmed.tsx'
import { Icon, type IconName } from './icon.tsx'

/** Placeholder lines while data loads. */
export function Loading({ rows = 6, height = 36 }: { rows?: number; height?: number }) {
  const t = useTexts(commonTexts)
  return (
    <div role="status" aria-label={t.loading}>
      <Stack gap="xs">
        {Array.from({ length: rows }, (_, row) => (
          <Skeleton key={row} height={height} />
        ))}
      </Stack>
    </div>
  )
}

/** Returns a function that describes a failed call, in the operator's language if the cause is known. */
export function useFailureText(): (error: unknown) => string {
  const t = useTexts(commonTexts)
  return (error) => {
    const title = titleOf(error)
    const text = detailOf(error, t)
    return title === undefined || !(title in tellsMore) ? text : `${t[title]}: ${text}`
  }
}

const titles = {
  400: 'failedInput',
  403: 'failedPermission',
  404: 'failedNotFound',
  429: 'failedRate',
  503: 'failedBusy',
} as const satisfies Record<number, string>
/** Titles that a text without a title begins with. */
const tellsMore = { failedPermission: 1, failedRate: 1, failedBusy: 1 }
const unansweredTexts = { NETWORK: 'failedNetwork', TIMEOUT: 'failedTimeout', UNREADABLE: 'failedUnreadable' } as const

function titleOf(error: unknown) {
  return error instanceof ApiFailure ? titles[error.status as keyof typeof titles] : undefined
}

function detailOf(error: unknown, t: (typeof commonTexts)['en']): string {
  if (!(error instanceof ApiFailure)) return error instanceof Error ? error.message : String(error)
  if (error.status === 0) return t[unansweredTexts[error.code as keyof typeof unansweredTexts]]
  if (error.retryAfterS === undefined) return error.message || t.failedServer
  const wait = t.waitFor(error.retryAfterS)
  // The title of a 429 says the rest, in the operator's language.
  return error.status === 429 ? wait : `${error.message || t.failedServer} · ${wait}`
}

/** A failed call with its description, code and request ID, and a retry button. */
export function Failure({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) {
  const t = useTexts(commonTexts)
  return (
    <Alert
      color="red"
      icon={<Icon name="warning" />}
      title={t[titleOf(error) ?? 'failed']}
      role="alert"
      className="failure"
    >
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{detailOf(error, t)}</Text>
        {error instanceof ApiFailure && error.status > 0 && (
          <Dimmed size="xs">
            {t.code(error.code)}
            {error.requestId !== undefined && ` · ${t.requestId(error.requestId)}`}
          </Dimmed>
        )}
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {t.retry}
          </Button>
        )}
      </Stack>
    </Alert>
  )
}

/** An empty state, with a hint or action. */
export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" className="empty" role="status">
      <Icon name={icon} size={36} />
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Group c="dimmed" fz="sm" ta="center" maw={420}>
          {children}
        </Group>
      )}
    </Stack>
  )
}

/** Renders a query's data, with a warning if it could not be refreshed, or its loading or error state. */
export function Loaded<Data>({
  query,
  rows,
  children,
}: {
  query: Pick<UseQueryResult<Data>, 'isError' | 'isRefetchError' | 'data' | 'error' | 'refetch'>
  rows?: number | undefined
  children: (data: Data) => ReactNode
}) {
  if (query.isError && query.data === undefined)
    return <Failure error={query.error} retry={() => void query.refetch()} />
  if (query.data === undefined) return <Loading {...(rows !== undefined && { rows })} />
  return (
    <>
      {query.isRefetchError && query.error && <Stale error={query.error} retry={() => void query.refetch()} />}
      {children(query.data)}
    </>
  )
}

/** Renders the pages of a query like `Loaded`, and below them a button for more. */
export function LoadedPages<Page>({
  query,
  rows,
  children,
}: {
  query: UseInfiniteQueryResult<InfiniteData<Page>>
  rows?: number
  children: (pages: readonly Page[]) => ReactNode
}) {
  const t = useTexts(commonTexts)
  const more = () => void query.fetchNextPage()
  return (
    <Loaded query={query} rows={rows}>
      {({ pages }) => (
        <>
          {children(pages)}
          {query.isFetchNextPageError && <Failure error={query.error} retry={more} />}
          {query.hasNextPage && !query.isFetchNextPageError && (
            <Group justify="center" mt="sm">
              <Button size="xs" variant="default" loading={query.isFetchingNextPage} onClick={more}>
                {t.more}
              </Button>
            </Group>
          )}
        </>
      )}
    </Loaded>
  )
}

/** A warning above data that could not be refreshed. */
function Stale({ error, retry }: { error: Error; retry: () => void }) {
  const t = useTexts(commonTexts)
  const textOf = useFailureText()
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} title={t.stale} role="alert" mb="md">
      <Group gap="xs">
        <Text size="sm">{textOf(error)}</Text>
        <Button size="xs" variant="default" onClick={retry}>
          {t.retry}
        </Button>
      </Group>
    </Alert>
  )
}
