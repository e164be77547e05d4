import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'
import { StackError } from '@parley/stack/stack-error'
import { startServers } from '@parley/stack/up'
import { runCheckSteps } from './check-steps.ts'
import { writeConformance } from './conformance.ts'
import { checkLogs } from './secrets-in-logs.ts'
import { followTests, type Outcome } from './test-outcomes.ts'

/**
 * `npm test`: the check steps, then every `*.test.ts` of the repository on real servers that are thrown away after.
 * `npm test -- <part of a path>…` runs only the test files that match, without the check steps. Leaves
 * `.parley/test-report.json` (a list of Outcome), and what was written in the run under `.parley/test-logs/`.
 */
const root = join(import.meta.dirname, '../..')
const logs = join(root, '.parley/test-logs')
/** What takes the whole machine for a while: it runs by itself, so that it starves no other. */
const alone = ['test/chaos.test.ts', 'test/hostile-clients.test.ts']
/** Several times what the slowest file takes on a busy machine of two cores. */
const fileMs = 300_000

const wanted = process.argv.slice(2)
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.test.ts'], {
  cwd: root,
})
  .toString()
  .split('\n')
  .filter((file) => file !== '' && (wanted.length === 0 || wanted.some((part) => file.includes(part))))
  .toSorted()

rmSync(logs, { recursive: true, force: true })
mkdirSync(logs, { recursive: true })
const outcomes = wanted.length === 0 ? await runCheckSteps(root) : []
outcomes.push(...(await runTests()))
if (wanted.length === 0) {
  outcomes.push(checkLogs(logs))
  outcomes.push(...writeConformance(outcomes, join(root, 'docs/conformance.md')))
}
writeFileSync(join(root, '.parley/test-report.json'), `${JSON.stringify(outcomes, null, 2)}\n`)
conclude(outcomes)

async function runTests(): Promise<Outcome[]> {
  if (files.length === 0) {
    console.error(`No test file matches ${wanted.join(', ')}`)
    return []
  }
  const servers = await startServers({ database: 'test', onProgress: (line) => console.log(line) }).catch(
    (error: unknown) => {
      if (!(error instanceof StackError)) throw error
      console.error(error.message)
      return process.exit(1)
    },
  )
  try {
    const { mongoUrl, natsUrl, redisUrl } = servers
    process.env.PARLEY_TEST_SERVERS = JSON.stringify({ mongoUrl, natsUrl, redisUrl })
    process.env.PARLEY_TEST_LOGS = logs
    const outcomesOf = async (some: string[], concurrency: number): Promise<Outcome[]> => {
      const paths = some.map((file) => join(root, file))
      if (paths.length === 0) return []
      const output = join(logs, `output-${concurrency}-at-once.log`)
      return followTests(run({ files: paths, concurrency, timeout: fileMs }), root, output)
    }
    const together = await outcomesOf(
      files.filter((file) => !alone.includes(file)),
      2,
    )
    return [
      ...together,
      ...(await outcomesOf(
        alone.filter((file) => files.includes(file)),
        1,
      )),
    ]
  } finally {
    await servers.stop()
  }
}

function conclude(outcomes: Outcome[]): void {
  const count = (wantedOutcome: Outcome['outcome']) =>
    outcomes.filter(({ outcome }) => outcome === wantedOutcome).length
  const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')]
  if (failed > 0) console.log('\nFailed:')
  for (const { name, file, outcome } of outcomes) if (outcome === 'failed') console.log(`  ${file}: ${name}`)
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0
}
