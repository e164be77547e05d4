import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestCase, Vitest } from 'vitest/node'
import { wholeRun } from './run-tests.ts'

/** What became of one test. `name` holds the suites that it stands in, `file` is relative to the repository. */
export interface Result {
  name: string
  file: string
  outcome: 'passed' | 'failed' | 'skipped' | 'pending'
  /** The rows of the interface that it claims to prove: see packages/conformance. */
  proves: readonly string[]
}

const folder = join(import.meta.dirname, '../../.parley')
const file = join(folder, 'test-results.jsonl')

/**
 * For the tests that look at a whole run: begins it without the logs of the one before, and writes a line per test as
 * soon as it has ended. A run of a part leaves both alone, so that it may go on beside a whole one.
 */
export default class Results implements Reporter {
  private isWhole = false

  onInit(vitest: Vitest): void {
    this.isWhole = vitest.projects.some(({ name }) => name === wholeRun)
    if (!this.isWhole) return
    rmSync(join(folder, 'test-logs'), { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, '')
  }

  onTestCaseResult(test: TestCase): void {
    if (!this.isWhole) return
    const result: Result = {
      name: test.fullName,
      file: test.module.relativeModuleId,
      outcome: test.result().state,
      proves: test.meta().proves ?? [],
    }
    appendFileSync(file, `${JSON.stringify(result)}\n`)
  }
}

/** The results of the last whole run, as far as it has come, each test's last one; undefined when there was none. */
export function readResults(): Result[] | undefined {
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  const results = lines.map((line) => JSON.parse(line) as Result)
  return [...new Map(results.map((result) => [`${result.file} ${result.name}`, result])).values()]
}
