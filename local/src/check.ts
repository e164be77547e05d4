import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Command } from 'commander'

/** `npm run check`: every check that runs no code. */
const steps = ['check:types', 'check:lint', 'check:format', 'check:unused', 'check:copies', 'check:prose']
new Command('npm run check --')
  .description(
    `Checks types, lint, format, unused and copied code, and prose: ${steps.join(', ')}. Exit code 1 if any check fails.`,
  )
  .parse()

const cwd = join(import.meta.dirname, '../..')
const failed = steps.filter((step) => {
  const { status } = spawnSync('npm', ['run', '--silent', step], { cwd, stdio: 'inherit' })
  console.log(status === 0 ? `✔ ${step}` : `✖ ${step}`)
  return status !== 0
})
process.exitCode = failed.length > 0 ? 1 : 0
