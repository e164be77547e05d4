import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

const root = join(import.meta.dirname, '../..')

/** Builds the services as for the image: built services start in a third of the time. Coverage needs the TypeScript instead. */
export default function setup(project: TestProject): (() => void) | undefined {
  if (project.vitest.config.coverage.enabled || process.env['PARLEY_TEST_BUILD'] !== undefined) return undefined
  const folder = join('.parley', `build-${process.pid}`)
  execFileSync(process.execPath, ['deploy/build-services.ts', folder], { cwd: root, stdio: 'inherit' })
  process.env['PARLEY_TEST_BUILD'] = join(root, folder)
  return () => rmSync(join(root, folder), { recursive: true, force: true })
}
