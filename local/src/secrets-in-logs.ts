import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Outcome } from './test-outcomes.ts'

/** How keys and tokens that Parley makes look, and those of the demo app. */
const secret = /\b(?:pt|ak|ck|bk|whsec)_[\w+/-]{24,}|\bdemo-(?:api|basic|client)-key\b/g
/** Fewer lines than a run writes mean that the logs were not found. */
const fewestLines = 500

/** Reads everything that services logged in a run: the lines that hold a key or token, at most ten. */
export function findSecrets(folder: string): { lines: number; found: string[] } {
  const found: string[] = []
  let lines = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.log') && !name.startsWith('output-'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line !== '') lines++
      if (line.search(secret) >= 0) found.push(`${file}: ${line.replaceAll(secret, '<secret>')}`)
    }
  }
  return { lines, found: found.slice(0, 10) }
}

/** The outcome of that for a whole run; prints what was found. */
export function checkLogs(folder: string): Outcome {
  const { lines, found } = findSecrets(folder)
  for (const line of found) console.log(`✖ a secret in a log: ${line}`)
  if (lines < fewestLines) console.log(`✖ only ${lines} lines of logs in ${folder}`)
  return {
    name: `nothing that was logged during the whole run holds a key or token (${lines} lines)`,
    file: 'local/src/secrets-in-logs.ts',
    outcome: found.length === 0 && lines >= fewestLines ? 'passed' : 'failed',
  }
}
