import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { parse } from 'yaml'

interface Alert {
  alert: string
  labels: { severity: string }
  annotations: { runbook_url: string }
}

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const { groups } = parse(read('deploy/helm/parley/files/alerts.yml')) as { groups: { rules: Alert[] }[] }
const alerts = groups.flatMap(({ rules }) => rules).filter((rule) => 'alert' in rule)
const sections = new Map(
  read('docs/runbooks.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
)

describe('docs/runbooks.md', () => {
  test('has exactly one section for each alert', () => {
    assert.deepEqual(
      [...sections.keys()],
      alerts.map(({ alert }) => alert),
    )
  })

  for (const { alert, labels, annotations } of alerts) {
    test(`${alert}: its section gives the meaning, the effect on users, the checks and the remedy`, () => {
      const section = sections.get(alert) ?? ''
      assert.equal(annotations.runbook_url, `docs/runbooks.md#${alert.toLowerCase()}`)
      assert.ok(section.includes(`\n\n\`${labels.severity}\`. `))
      for (const part of ['Users notice', 'Look at', 'Do']) {
        assert.match(section, new RegExp(`^- [*]{2}${part}[*]{2}[ ,]`, 'm'))
      }
    })
  }

  test('ParleyDependencyAway: its section lists every dependency that the alert can name', () => {
    const checks = [...read('packages/wiring/src/connect-servers.ts').matchAll(/checks\['(\w+)'\]/g)]
    assert.ok(checks.length >= 4)
    const section = sections.get('ParleyDependencyAway')?.toLowerCase() ?? ''
    for (const [, name = ''] of checks) assert.ok(section.includes(name), name)
  })

  test('mentions only log lines from docs/logs.md and existing settings and error codes', () => {
    const text = read('docs/runbooks.md')
    const known =
      read('docs/logs.md') +
      read('docs/settings.md') +
      read('docs/errors.md') +
      read('deploy/helm/parley/files/alerts.yml')
    const named = [...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name)
    const ours = named.filter((name) => /^(parley_\w+|PARLEY_\w+|[A-Z]+(_[A-Z]+)+)$/.test(name) || isLogLine(name))
    assert.ok(ours.length > 15)
    for (const name of ours) assert.ok(known.includes(name), name)
  })
})

/** Whether a code span is a log line: several words, but no command. */
function isLogLine(name: string): boolean {
  return /^\w+( [\w:]+){2,}$/.test(name) && !/^(?:docker|kubectl|nats) /.test(name)
}
