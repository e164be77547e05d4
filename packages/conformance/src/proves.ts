import { TestRunner } from 'vitest'
import { allClaims, claim } from './rows.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** The claims of the test: see `proves`. */
    proves?: string[]
  }
}

/**
 * Declares which rows of the interface a test proves: rows of one section, named as in ./rows. A claim counts only if
 * the test passes. Claim only what the test asserts.
 *
 * @throws Error if a row does not exist, so that the test fails
 */
export function proves(section: string, ...rows: readonly string[]): void {
  const test = TestRunner.getCurrentTest()
  if (!test) throw new Error('proves must be called in a test')
  const claims = rows.map((row) => claim(section, row))
  const unknown = claims.filter((one) => !allClaims.has(one))
  if (unknown.length > 0) throw new Error(`the interface has no row ${unknown.join(', ')} (packages/conformance)`)
  test.meta.proves = [...(test.meta.proves ?? []), ...claims]
}
