import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Matches Parley's keys and tokens, and those of the demo app. */
const secret = /\b(?:pt|ak|ck|bk|os|ol|whsec)_[\w+/-]{24,}|\bdemo-(?:api|basic|client)-key\b/g

/** Searches all service logs of a run; returns at most ten lines with a key or token. */
export function findSecrets(folder: string): { lines: number; found: string[] } {
  const found: string[] = []
  let lines = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.log'))) {
    for (const line of readFileSync(join(folder, file), 'utf8').split('\n')) {
      if (line !== '') lines++
      if (line.search(secret) >= 0) found.push(`${file}: ${line.replaceAll(secret, '<secret>')}`)
    }
  }
  return { lines, found: found.slice(0, 10) }
}
