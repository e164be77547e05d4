import type { TestModule, TestSpecification, Vitest } from 'vitest/node'

/** Tests that look at all the others. */
export const wholeRun = 'whole run'

/**
 * Runs the test files, then those again in which something failed, at most `retries` times: in new processes and from
 * their beginning, since what a failed test leaves behind may fail it again. What looks at the whole run comes last.
 */
export async function runTests(vitest: Vitest, filter: string[], retries: number): Promise<void> {
  await vitest.standalone()
  const all = await vitest.globTestSpecifications(filter)
  const last = all.filter(({ project }) => project.name === wholeRun)
  let next = all.filter((file) => !last.includes(file))
  if (all.length === 0) console.error(`No test file matches ${filter.join(', ')}`)
  for (let tries = 0; next.length > 0 && tries <= retries; tries++) {
    // What the try before it has set: this one decides.
    process.exitCode = undefined
    const { unhandledErrors } = await vitest.runTestSpecifications(next, tries === 0)
    next = next.filter((file) => hasFailed(file, unhandledErrors))
  }
  if (last.length > 0) await vitest.runTestSpecifications(last)
}

function hasFailed(file: TestSpecification, unhandledErrors: readonly unknown[]): boolean {
  const { testModule: module, moduleId } = file
  return !module?.ok() || isCutShort(module) || unhandledErrors.some((error) => isOf(error, moduleId))
}

/** Its process ended before it was through. */
export function isCutShort(module: TestModule): boolean {
  return module.state() === 'pending' || module.state() === 'queued'
}

/** Whether an error that nothing handled came from the file. */
export function isOf(error: unknown, moduleId: string): boolean {
  return (error as { VITEST_TEST_PATH?: string }).VITEST_TEST_PATH === moduleId
}
