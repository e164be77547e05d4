import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node'

/**
 * Ends the output of a run with `N passed, N failed`, and with `, N skipped` where there are any; before it, in a line each,
 * what failed and why, and what passed only when it was tried again, for whoever sees only the end of it.
 */
export default class LastLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { message: string }[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const [passed, skipped] = [count('passed'), count('skipped')]
    // Files and suites fail by themselves when they cannot be read or their hooks fail.
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const broken = groups.filter((group) => group.errors().length > 0).length
    const failed = count('failed') + broken + unhandledErrors.length
    if (failed > 0 || passed === 0) process.exitCode = 1
    const reasons = [...tests.filter((test) => test.result().state === 'failed'), ...groups].flatMap((one) =>
      reasonLine('FAILED', one),
    )
    const flaky = tests.filter((test) => test.result().state === 'passed' && test.diagnostic()?.flaky)
    reasons.unshift(...flaky.flatMap((test) => reasonLine('FLAKY', test)))
    for (const { message } of unhandledErrors)
      reasons.push(`FAILED by an error that nothing handles: ${firstLine(message)}`)

    // At the exit, after everything that vitest has to say, and knowing what failed without being a test.
    process.once('exit', (code) => {
      const all = code !== 0 && failed === 0 && passed > 0 ? 1 : failed
      if (reasons.length > 0) console.log(`\n${reasons.join('\n')}`)
      console.log(`\n${passed} passed, ${all} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
    })
  }
}

function reasonLine(outcome: 'FAILED' | 'FLAKY', failed: TestCase | TestModule | TestSuite): string[] {
  const errors = failed.type === 'test' ? failed.result().errors : failed.errors()
  if (!errors || errors.length === 0) return []
  const { relativeModuleId: file } = failed.type === 'module' ? failed : failed.module
  const name = failed.type === 'module' ? '' : ` > ${failed.fullName}`
  return [`${outcome} ${file}${name}: ${firstLine(errors[0]?.message)}`]
}

function firstLine(message = ''): string {
  return message.trim().split('\n')[0]?.slice(0, 300) ?? ''
}
