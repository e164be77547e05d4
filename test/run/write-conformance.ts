import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { conformancePage } from '@parley/conformance/page'
import { readResults } from './results.ts'

const help = `Usage: npm run docs:conformance

Writes docs/conformance.md, every row of the interface with the files whose tests prove it, from the last whole run of npm test.`

const results = readResults()
if (parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values.help) console.log(help)
else if (!results) {
  console.error('No results of a whole run yet. Run npm test first.')
  process.exitCode = 1
} else {
  const page = conformancePage(results.filter(({ outcome }) => outcome === 'passed'))
  writeFileSync(join(import.meta.dirname, '../../docs/conformance.md'), page)
  console.log('docs/conformance.md written')
}
