import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

describe.concurrent('the code passes', () => {
  test.for(['check:types', 'check:lint', 'check:format', 'check:unused', 'check:copies', 'check:prose'])(
    'npm run %s',
    (script) => {
      return new Promise<void>((resolve, reject) => {
        const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
        execFile('npm', ['run', '--silent', script], options, (error, stdout, stderr) => {
          if (error) reject(new Error((stdout + stderr).trimEnd()))
          else resolve()
        })
      })
    },
  )
})
