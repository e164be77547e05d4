import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { conformanceRows, type Row } from './conformance-rows.ts'
import type { Outcome } from './test-outcomes.ts'

/**
 * Writes which test shows which row of the interface, from the outcomes of a whole run.
 * @returns an outcome per row: failed where no test that passed names it.
 */
export function writeConformance(outcomes: readonly Outcome[], file: string): Outcome[] {
  const passed = outcomes.filter(({ outcome }) => outcome === 'passed')
  const shown = conformanceRows.map((row) => ({ row, tests: passed.filter(({ name }) => row.shownBy.test(name)) }))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, page(shown))
  return shown.map(({ row, tests }) => ({
    name: `conformance: ${row.table}: ${row.row}`,
    file: 'docs/conformance.md',
    outcome: tests.length > 0 ? 'passed' : 'failed',
  }))
}

function page(shown: { row: Row; tests: Outcome[] }[]): string {
  const tables = [...new Set(shown.map(({ row }) => row.table))]
  const sections = tables.map((table) => {
    const rows = shown.filter(({ row }) => row.table === table).map(({ row, tests }) => line(row, tests))
    return [`## ${table}`, '', '| row | shown by |', '|---|---|', ...rows].join('\n')
  })
  const head = '# Conformance\n\nWhich test shows which row of the interface. Written by `npm test`; do not edit.'
  return `${[head, ...sections].join('\n\n')}\n`
}

/** The first three tests by file and name, so that the page stays the same from run to run, and how many more. */
function line({ row }: Row, tests: Outcome[]): string {
  const named = tests.map(({ name, file }) => `${file}: ${name}`.replaceAll('|', '\\|')).toSorted()
  const more = named.length > 3 ? [`and ${named.length - 3} more`] : []
  return `| ${row} | ${named.length === 0 ? '**none**' : [...named.slice(0, 3), ...more].join('<br>')} |`
}
