import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Command } from 'commander'

/** `npm run check:types`: the Node.js code, then the browser projects and those with their own settings. */
const projects = [
  '.',
  'packages/chat-page',
  'packages/chat-page/src/worker',
  'packages/console',
  'packages/docs-site',
  'test/browser',
  'examples/own-interface',
  'examples/react-kit',
  'examples/next-kit',
]
new Command('npm run check:types --').description(`Checks the types of ${projects.join(', ')}.`).parse()

const cwd = join(import.meta.dirname, '../..')
const tsc = join(cwd, 'node_modules/.bin/tsc')
spawnSync(process.execPath, ['packages/console/build/main.ts', '--types'], { cwd, stdio: 'inherit' })
const failed = projects.filter((project) => {
  // Incremental builds take a third of the time.
  const remembered = join('.parley/types', `${project.replaceAll('/', '-')}.tsbuildinfo`)
  // By default, four checkers each check the types that files share, and a fifth of the time goes to collecting garbage.
  const args = ['--noEmit', '-p', project, '--checkers', '1', '--incremental', '--tsBuildInfoFile', remembered]
  const { status } = spawnSync(tsc, args, { cwd, stdio: 'inherit', env: { ...process.env, GOGC: '300' } })
  return status !== 0
})
process.exitCode = failed.length > 0 ? 1 : 0
