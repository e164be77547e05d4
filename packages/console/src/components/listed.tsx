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

/** A page of an API list as a table, with loading, error and empty states and a pager. */
export function Listed<Row extends RowData, Page extends PageOf<Row>>({
  query,
  count,
  empty,
  cursor,
  onPage,
  ...table
}: Omit<TableProps<Row>, 'rows' | 'isStale'> & {
  query: UseQueryResult<Page>
  /** Describes a page's share, such as `50 of 1,200`. */
  count?: (page: Page) => string
  empty: { icon: IconName; title: string; hint: ReactNode }
  /** Cursor of the current page; undefined on the first. */
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
