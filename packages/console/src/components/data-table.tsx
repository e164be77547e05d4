import { Button, Group, ScrollArea, Table, UnstyledButton } from '@mantine/core'
import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import { type ReactNode, useDeferredValue, useMemo } from 'react'
import { commonTexts } from '../texts/common.ts'
import { useTexts } from '../texts/texts.ts'
import { Dimmed } from './dimmed.tsx'
import { Icon } from './icon.tsx'

const features = tableFeatures({})
/** Rows of the first paint, about what a window shows. The others follow in the background. */
const firstRows = 20
// Native elements with Mantine's classes: its components would take half the time of a long table.
const { th, td, tr } = Table.classes
const rowProps = { className: tr, 'data-with-row-border': true, 'data-hover': true }

export type Columns<Row extends RowData> = readonly ColumnDef<typeof features, Row>[]

export const column = <Row extends RowData>(
  id: string,
  header: string | (() => ReactNode),
  show: (row: Row) => ReactNode,
): Columns<Row>[number] => ({ id, header, cell: ({ row }) => show(row.original) })

/** A header for screen readers only. */
export const unseen = (text: string) => () => <span className="unseen">{text}</span>

export interface TableProps<Row extends RowData> {
  label: string
  columns: Columns<Row>
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The current sort, with `-` for descending, and the columns that the server can sort by. */
  sorting?: { sort: string; columns: readonly string[]; onSort: (sort: string) => void } | undefined
  isStale?: boolean
}

/** A table that scrolls horizontally if it is too wide. */
export function DataTable<Row extends RowData>({
  label,
  columns,
  rows,
  keyOf,
  sorting,
  isStale = false,
}: TableProps<Row>) {
  const t = useTexts(commonTexts)
  const most = useDeferredValue(Number.POSITIVE_INFINITY, firstRows)
  const data = useMemo(() => (rows.length > most ? rows.slice(0, most) : rows), [rows, most])
  const table = useTable({ features, columns, data, getRowId: keyOf })
  return (
    <ScrollArea
      type="auto"
      className={isStale ? 'table stale' : 'table'}
      aria-busy={isStale}
      // Makes a table without links or buttons scrollable by keyboard.
      viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': t.tableOf(label) }}
    >
      <Table highlightOnHover verticalSpacing="xs" aria-label={label}>
        <Table.Thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} {...rowProps}>
              {group.headers.map((header) => (
                <th key={header.id} className={th} aria-sort={sortOf(header.column.id, sorting?.sort)}>
                  <SortButton column={header.column.id} sorting={sorting}>
                    <table.FlexRender header={header} />
                  </SortButton>
                </th>
              ))}
            </tr>
          ))}
        </Table.Thead>
        <Table.Tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id} {...rowProps}>
              {row.getAllCells().map((cell) => (
                <td key={cell.id} className={td}>
                  <table.FlexRender cell={cell} />
                </td>
              ))}
            </tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

function sortOf(column: string, sort: string | undefined) {
  if (sort === column) return 'ascending'
  return sort === `-${column}` ? 'descending' : undefined
}

function SortButton({
  column,
  sorting,
  children,
}: {
  column: string
  sorting: TableProps<RowData>['sorting']
  children: ReactNode
}) {
  if (!sorting?.columns.includes(column)) return children
  const sorted = sortOf(column, sorting.sort)
  return (
    <UnstyledButton
      className="sort-button"
      onClick={() => sorting.onSort(sorted === 'descending' ? column : `-${column}`)}
    >
      {children}
      {sorted && <Icon name={sorted === 'ascending' ? 'up' : 'down'} size={14} />}
    </UnstyledButton>
  )
}

/** Buttons for the next and the first page. */
export function Pager({
  count,
  cursor,
  next,
  onPage,
}: {
  /** Such as `50 of 1,200`. */
  count?: string
  cursor: string | undefined
  next: string | undefined
  onPage: (cursor: string | undefined) => void
}) {
  const t = useTexts(commonTexts)
  return (
    <Group justify="space-between" mt="sm" className="pager">
      <Dimmed>{count}</Dimmed>
      <Group gap="xs">
        {cursor !== undefined && (
          <Button size="xs" variant="default" onClick={() => onPage(undefined)}>
            {t.first}
          </Button>
        )}
        {next !== undefined && (
          <Button size="xs" variant="default" onClick={() => onPage(next)}>
            {t.next}
          </Button>
        )}
      </Group>
    </Group>
  )
}
