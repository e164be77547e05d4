import { chapters, claim } from './rows.ts'

/** A passed test and its claims. */
export interface Proof {
  file: string
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

/** Renders docs/conformance.md: each row of the interface with its tests, without titles, which change too often. */
export function conformancePage(proofs: readonly Proof[]): string {
  const head = [
    '# Conformance',
    '',
    'Every row of the interface, and the files whose tests prove it: each test names its rows by `proves(…)`. `npm test` fails',
    'where a row has no test that passed, and where a file of this page did not prove its row. `npm run docs:conformance` writes',
    'the page from the last whole run.',
  ]
  const pages = chapters.map(({ title, sections }) =>
    [`## ${title}`, ...Object.entries(sections).map(([section, rows]) => table(section, rows, proofs))].join('\n\n'),
  )
  return `${[head.join('\n'), ...pages].join('\n\n')}\n`
}

/** Lines of a page (`section: row: file`) that the tests did not prove. */
export function untrue(page: string, proofs: readonly Proof[]): string[] {
  const proven = new Set(linesOf(conformancePage(proofs)))
  return linesOf(page).filter((line) => !proven.has(line))
}

/** The page as one line per row and file: `section: row: file`. */
export function linesOf(page: string): string[] {
  return page.split('\n### ').flatMap((part) => {
    const section = part.split('\n', 1)[0]
    return [...part.matchAll(/^\| (.*) \| (.*) \|$/gm)].flatMap(([, row, files = '']) =>
      files.split('<br>').map((file) => `${section}: ${row}: ${file}`),
    )
  })
}

function table(section: string, rows: readonly string[], proofs: readonly Proof[]): string {
  const lines = rows.map((row) => {
    const files = proofs.filter(({ proves }) => proves.includes(claim(section, row))).map(({ file }) => file)
    const links = [...new Set(files)].toSorted().map((file) => `[${file}](../${file})`)
    return `| ${inCell(row)} | ${links.join('<br>') || '**none**'} |`
  })
  return [`### ${section}`, '', '| row | proven by |', '|---|---|', ...lines].join('\n')
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
