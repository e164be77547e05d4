import type { Reporter, TestModule } from 'vitest/node'

/** Ends a run with `N passed, N failed`, after its FLAKY tests, which passed when retried, and FAILED ones with their errors. */
export default class LastLine implements Reporter {
  #passed = 0
  #skipped = 0
  readonly #flaky: string[] = []
  readonly #failed: string[] = []

  onInit(): void {
    // At the exit, vitest has printed everything else, and the exit code reveals an aborted run.
    process.once('exit', (code) => this.#end(code))
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message: string }[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        const line = `${module.relativeModuleId} > ${test.fullName}: ${firstLine(errors?.[0])}`
        if (state === 'passed') this.#passed++
        if (state === 'skipped') this.#skipped++
        if (state === 'failed') this.#failed.push(line)
        if (test.diagnostic()?.flaky) this.#flaky.push(line)
      }
      for (const group of [module, ...module.children.allSuites()])
        for (const error of group.errors()) this.#failed.push(`${module.relativeModuleId}: ${firstLine(error)}`)
    }
    this.#failed.push(...unhandled.map((error) => `unhandled error: ${firstLine(error)}`))
  }

  #end(code: number): void {
    const failed = this.#failed.length || (code === 0 && this.#passed > 0 ? 0 : 1)
    if (failed > 0) process.exitCode = 1
    for (const line of this.#flaky) console.log(`FLAKY ${line}`)
    for (const line of this.#failed) console.log(`FAILED ${line}`)
    console.log(`\n${this.#passed} passed, ${failed} failed${this.#skipped ? `, ${this.#skipped} skipped` : ''}`)
  }
}

const firstLine = (error?: { message: string }) => error?.message.trim().split('\n')[0]?.slice(0, 300)
