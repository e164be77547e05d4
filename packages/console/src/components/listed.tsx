import type { UseQueryResult } from '@tanstack/react-query'
import type { RowData } from '@tanstack/react-table'
import type { ReactNode } from 'react'
import { DataTable, Pager, type TableProps } from './data-table.tsx'
import type { IconName } from './icon.tsx'
import { Empty, Loaded } from './states.tsx'

interface PageOf<Row> {
  data: Row[]
  cursor?: string | undefined
}

/** A page of a list of the API as a table: what loads, fails or is not there, and the way to the next page. */
export function Listed<Row extends RowData, Page extends PageOf<Row>>({
  query,
  count,
  empty,
  cursor,
  onPage,
  ...table
}: Omit<TableProps<Row>, 'rows' | 'isStale'> & {
  query: UseQueryResult<Page>
  /** Of a page: such as `50 of 1,200`. */
  count?: (page: Page) => string
  empty: { icon: IconName; title: string; hint: ReactNode }
  /** That of the page, which is absent on the first. */
  cursor: string | undefined
  onPage: (cursor: string | undefined) => void
}) {
  return (
    <Loaded query={query}>
      {(page) =>
        page.data.length === 0 ? (
          <Empty icon={empty.icon} title={empty.title}>
            {empty.hint}
          </Empty>
        ) : (
          <>
            <DataTable {...table} rows={page.data} isStale={query.isPlaceholderData} />
            <Pager {...(count && { count: count(page) })} cursor={cursor} next={page.cursor} onPage={onPage} />
          </>
        )
      }
    </Loaded>
  )
}
