import { appendFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { run } from 'node:test'
import { inspect } from 'node:util'

/** What became of one test (suites are not counted). `name` holds the suites that it stands in. */
export interface Outcome {
  name: string
  file: string
  outcome: 'passed' | 'failed' | 'skipped'
}

/** How much of a file's standard error is shown when the file fails as a whole. */
const shownCharacters = 4_000

/**
 * Follows a run of node:test to its end: prints a line per test, with the error of each that fails, and collects the
 * outcomes. A file without a test counts as failed.
 *
 * @param outputFile gets everything that the test files write to standard output and error
 */
export async function followTests(tests: ReturnType<typeof run>, root: string, outputFile: string): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const standing = new Map<string, string[]>()
  const errors = new Map<string, string>()
  let shownFile = ''

  const said = (file: string, message: string) => appendFileSync(outputFile, `${relative(root, file)}: ${message}`)
  const titleOf = ({ name, nesting, file = '' }: { name: string; nesting: number; file?: string | undefined }) =>
    [...(standing.get(file) ?? []).slice(0, nesting), name].join(' › ')
  const show = (outcome: Outcome, mark: string, detail = '') => {
    if (outcome.file !== shownFile) console.log(`\n${outcome.file}`)
    shownFile = outcome.file
    console.log(`  ${mark} ${outcome.name}${detail}`)
    outcomes.push(outcome)
  }

  for await (const { type, data } of tests) {
    if (type === 'test:stdout') said(data.file, data.message)
    if (type === 'test:stderr') {
      said(data.file, data.message)
      errors.set(data.file, (errors.get(data.file) ?? '') + data.message)
    }
    if (type === 'test:diagnostic' && data.file)
      errors.set(data.file, `${errors.get(data.file) ?? ''}${data.message}\n`)
    if (type === 'test:start') {
      const names = (standing.get(data.file ?? '') ?? []).slice(0, data.nesting)
      standing.set(data.file ?? '', [...names, data.name])
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue

    // A file that holds no test, or that fails as a whole, is told as a test with the file's path for a name.
    const isFile = data.nesting === 0 && resolve(root, data.name) === data.file
    const outcome = { name: isFile ? '(the file as a whole)' : titleOf(data), file: relative(root, data.file ?? '') }
    if (type === 'test:fail') {
      if (data.details.type === 'suite' && data.details.error.message.includes('subtest')) continue
      const error = inspect(data.details.error.cause ?? data.details.error)
      const trail = isFile ? (errors.get(data.file ?? '') ?? '').slice(-shownCharacters) : ''
      show({ ...outcome, outcome: 'failed' }, '✖', `\n${indented(`${error}\n${trail}`)}`)
    } else if (data.skip !== undefined || data.todo !== undefined) {
      show({ ...outcome, outcome: 'skipped' }, '-', ` (skipped: ${String(data.skip ?? data.todo)})`)
    } else if (isFile) {
      show({ ...outcome, outcome: 'failed' }, '✖', ': the file holds no test')
    } else if (data.details.type !== 'suite') {
      show({ ...outcome, outcome: 'passed' }, '✔', ` (${Math.round(data.details.duration_ms)} ms)`)
    }
  }
  return outcomes
}

function indented(text: string): string {
  return text.trimEnd().replaceAll(/^/gm, '      ')
}
