import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reporter, TestCase, TestSpecification, Vitest } from 'vitest/node'

/** The outcome of one test. `name` includes its suites, `file` is relative to the repository. */
export interface Result {
  name: string
  file: string
  outcome: 'passed' | 'failed' | 'skipped' | 'pending'
  /** The rows of the interface that the test proves (packages/conformance). */
  proves: readonly string[]
}

const folder = join(import.meta.dirname, '../../.parley')
const file = join(folder, 'test-results.jsonl')

/**
 * Records a whole run for test/whole-run and `npm run docs:conformance`: removes the previous run's logs, and writes a line as
 * each test ends. Runs of single files record nothing, so they can run concurrently with a whole run.
 */
export default class Results implements Reporter {
  #vitest: Vitest | undefined
  #isWhole = false

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  onTestRunStart(files: readonly TestSpecification[]): void {
    const { config, projects = [] } = this.#vitest ?? {}
    const isInEach = projects.every((project) => files.some((file) => file.project.name === project.name))
    this.#isWhole = isInEach && config?.project.length === 0 && !config.testNamePattern
    if (!this.#isWhole) return
    rmSync(join(folder, 'test-logs'), { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(file, '')
  }

  onTestCaseResult(test: TestCase): void {
    if (!this.#isWhole) return
    const result: Result = {
      name: test.fullName,
      file: test.module.relativeModuleId,
      outcome: test.result().state,
      proves: test.meta().proves ?? [],
    }
    appendFileSync(file, `${JSON.stringify(result)}\n`)
  }
}

/** The results so far of the current or last whole run; undefined before the first. */
export function readResults(): Result[] | undefined {
  if (!existsSync(file)) return undefined
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line) as Result)
}
