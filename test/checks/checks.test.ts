import { execFile, execFileSync } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

describe.concurrent('the code passes', () => {
  // Types and lint both need the generated types.
  beforeAll(() => void execFileSync(process.execPath, ['packages/console/build/main.ts', '--types'], { cwd: root }))

  test.for(['check:types', 'check:lint', 'check:format', 'check:unused', 'check:copies', 'check:prose'])(
    'npm run %s',
    (script) => {
      return new Promise<void>((resolve, reject) => {
        // The compiler and the linter are in Go, and would collect garbage for a quarter of their time.
        const options = { cwd: root, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, GOGC: '300' } }
        const { pid } = execFile('npm', ['run', '--silent', script], options, (error, stdout, stderr) => {
          if (error) reject(new Error((stdout + stderr).trimEnd()))
          else resolve()
        })
        // Tests of failover run at the same time.
        if (pid !== undefined) setPriority(pid, constants.priority.PRIORITY_LOW)
      })
    },
  )
})
