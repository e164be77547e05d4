import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'

const root = join(import.meta.dirname, '../..')
const services = ['api-gateway', 'realtime', 'push', 'stats'] as const

/** `npm run docs:settings`: writes docs/settings.md from each service's own list of settings. */
if (import.meta.main) {
  new Command('npm run docs:settings --')
    .description('Writes docs/settings.md from the settings of all services.')
    .parse()
  writeFileSync(join(root, 'docs/settings.md'), settingsPage())
}

/** The page of all settings: first those that every service has, then each service's own. */
export function settingsPage(): string {
  const rows = services.map((service) => settingRows(service))
  const shared = rows[0]?.filter((row) => rows.every((others) => others.includes(row))) ?? []
  const sections = services.map((service, i) => section(service, rows[i]?.filter((row) => !shared.includes(row)) ?? []))
  return [
    '# Settings',
    '',
    'Every setting is an environment variable, read and checked at the start: a wrong value names itself and stops the start,',
    'an unknown `PARLEY_*` variable is reported, one set to nothing counts as not set. `(required)` has no default.',
    'A setting marked (`_FILE`) may come from a file instead: `PARLEY_MONGO_URL_FILE=/run/secrets/mongo-url` names the file that',
    'holds `PARLEY_MONGO_URL`. Files are read at the start only: after a change of one, restart.',
    'Written by `npm run docs:settings` from the code; do not edit.',
    section('Every service', shared),
    ...sections,
  ].join('\n')
}

function settingRows(service: string): string[] {
  const main = join(root, 'services', service, 'src/main.ts')
  const table = execFileSync(process.execPath, [main, '--settings'], { encoding: 'utf8' })
  return table.split('\n').filter((line) => line.startsWith('| `'))
}

function section(title: string, rows: readonly string[]): string {
  if (rows.length === 0) return `## ${title}\n\nNo settings of its own.\n`
  return ['', `## ${title}`, '', '| variable | default | what it is |', '|---|---|---|', ...rows, ''].join('\n')
}
