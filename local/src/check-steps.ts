import { execFile } from 'node:child_process'
import type { Outcome } from './test-outcomes.ts'

/** The steps of `npm run check`, as package.json has them. */
const steps = ['check:types', 'check:lint', 'check:format', 'check:unused']

/** Runs types, lint, format and unused-code check, two at a time, and prints what each complains of. */
export async function runCheckSteps(root: string): Promise<Outcome[]> {
  const waiting = [...steps]
  const outcomes: Outcome[] = []
  const work = async () => {
    for (let step = waiting.shift(); step; step = waiting.shift()) outcomes.push(await runStep(root, step))
  }
  await Promise.all([work(), work()])
  return outcomes
}

function runStep(root: string, step: string): Promise<Outcome> {
  const outcome = { name: `npm run ${step}`, file: 'package.json' }
  const options = { cwd: root, maxBuffer: 64 * 1024 * 1024 }
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', step], options, (error, stdout, stderr) => {
      console.log(error ? `✖ ${outcome.name}\n${(stdout + stderr).trimEnd()}` : `✔ ${outcome.name}`)
      resolve({ ...outcome, outcome: error ? 'failed' : 'passed' })
    })
  })
}
