import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const resultsFolder = join(import.meta.dirname, 'results')

export function saveResults(name: string, results: object): void {
  mkdirSync(resultsFolder, { recursive: true })
  writeFileSync(join(resultsFolder, `${name}.json`), `${JSON.stringify(results, null, 2)}\n`)
}
