import { chapters, claim } from './rows.ts'

/** A test that passed, and what it claims. */
export interface Proof {
  file: string
  name: string
  proves: readonly string[]
}

/** The rows that no test proves, as claims. */
export function unproven(proofs: readonly Proof[]): string[] {
  const proven = new Set(proofs.flatMap((proof) => proof.proves))
  return chapters.flatMap(({ sections }) =>
    Object.entries(sections)
      .flatMap(([section, rows]) => rows.map((row) => claim(section, row)))
      .filter((one) => !proven.has(one)),
  )
}

/** docs/conformance.md: every row of the interface with the tests that prove it. */
export function conformancePage(proofs: readonly Proof[]): string {
  const head = [
    '# Conformance',
    '',
    'Every row of the interface, and the tests that prove it: each names its rows by `proves(…)`. `npm test` fails where a row',
    'has no test that passed, and where this page is out of date; `npm run docs:conformance` writes it from the last whole run.',
  ]
  const pages = chapters.map(({ title, sections }) =>
    [`## ${title}`, ...Object.entries(sections).map(([section, rows]) => table(section, rows, proofs))].join('\n\n'),
  )
  return `${[head.join('\n'), ...pages].join('\n\n')}\n`
}

function table(section: string, rows: readonly string[], proofs: readonly Proof[]): string {
  const lines = rows.map((row) => {
    const names = proofs
      .filter(({ proves }) => proves.includes(claim(section, row)))
      .map(({ file, name }) => `${file}: ${name}`)
    const shown = [...new Set(names)].toSorted().map(inCell)
    return `| ${inCell(row)} | ${shown.join('<br>') || '**none**'} |`
  })
  return [`### ${section}`, '', '| row | proven by |', '|---|---|', ...lines].join('\n')
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
