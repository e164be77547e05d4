import type { Reporter, TestModule } from 'vitest/node'

/**
 * Prints a summary at the end of a run: the time of each project and the slowest files, FLAKY tests, which passed when retried,
 * FAILED tests with their errors, and `N passed, N failed`.
 */
export default class LastLine implements Reporter {
  #passed = 0
  #skipped = 0
  readonly #flaky: string[] = []
  readonly #failed: string[] = []
  readonly #times: string[] = []
  #beganMS = performance.now()

  onInit(): void {
    // At exit, Vitest has printed everything else, and the exit code reveals an aborted run.
    process.once('exit', (code) => this.#end(code))
  }

  onTestRunStart(): void {
    this.#beganMS = performance.now()
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message: string }[]): void {
    this.#times.push(...timesOf(modules, performance.now() - this.#beganMS))
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        const line = `${module.relativeModuleId} > ${test.fullName}: ${brief(errors?.[0])}`
        if (state === 'passed') this.#passed++
        if (state === 'skipped') this.#skipped++
        if (state === 'failed') this.#failed.push(line)
        if (test.diagnostic()?.flaky) this.#flaky.push(line)
      }
      for (const group of [module, ...module.children.allSuites()])
        for (const error of group.errors()) this.#failed.push(`${module.relativeModuleId}: ${brief(error)}`)
    }
    this.#failed.push(...unhandled.map((error) => `unhandled error: ${brief(error)}`))
  }

  #end(code: number): void {
    const failed = this.#failed.length || (code === 0 && this.#passed > 0 ? 0 : 1)
    if (failed > 0) process.exitCode = 1
    for (const line of this.#times) console.log(line)
    for (const line of this.#flaky) console.log(`FLAKY ${line}`)
    for (const line of this.#failed) console.log(`FAILED ${line}`)
    console.log(`\n${this.#passed} passed, ${failed} failed${this.#skipped ? `, ${this.#skipped} skipped` : ''}`)
  }
}

/**
 * The first line of an error's message, the differing lines of a node:assert comparison or the seed of a fast-check property,
 * followed by its cause.
 */
function brief(error?: { message: string; cause?: unknown }): string {
  const [first = '', ...others] = error?.message.trim().split('\n') ?? []
  const telling = others.filter((line) => /^(?:[+-] (?!actual)|\{ seed: )/.test(line))
  const said = [first, ...telling.slice(0, 6).map((line) => line.replace(/\s+/g, ' '))].join(' ').slice(0, 300)
  return isError(error?.cause) ? `${said} (${brief(error.cause)})` : said
}

const isError = (cause: unknown): cause is Error =>
  typeof cause === 'object' && cause !== null && typeof (cause as Error).message === 'string'

/** A line with the time of each project, and one with the slowest files. Files run concurrently, so their sum exceeds the run's time. */
function timesOf(modules: readonly TestModule[], runMS: number): string[] {
  const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`
  const sums = new Map<string, number>()
  for (const module of modules) sums.set(module.project.name, (sums.get(module.project.name) ?? 0) + takenMS(module))
  const projects = [...sums].map(([name, ms]) => `${name || 'files'} ${seconds(ms)}`)
  const slowest = modules
    .toSorted((one, other) => takenMS(other) - takenMS(one))
    .slice(0, 8)
    .map((module) => `${module.relativeModuleId} ${seconds(takenMS(module))}`)
  return [`Time: ${seconds(runMS)}; of files: ${projects.join(', ')}`, `Slowest: ${slowest.join(', ')}`]
}

function takenMS(module: TestModule): number {
  const { duration, collectDuration, setupDuration } = module.diagnostic()
  return duration + collectDuration + setupDuration
}
