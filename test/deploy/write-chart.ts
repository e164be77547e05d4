import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { goProgram } from '@parley/local/chart/go-programs'
import { chart, headOf, rendered, templateArgs } from '@parley/local/chart/rendered'
import { Command } from 'commander'
import { parse } from 'yaml'
import { knownSettings } from './known-settings.ts'
import { valuesTable } from './values-table.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** `npm run chart`: regenerates the manifests and the README table from the chart. */
new Command('npm run chart --')
  .description(
    'Renders deploy/helm/parley into deploy/k8s/base and deploy/helm/rendered, and updates the table in its README and the secrets in its schema. Builds Helm with Go if it is not on the PATH.',
  )
  .parse()

const secretSettings = new Set(knownSettings().flatMap(({ env, mayBeFile }) => (mayBeFile ? [env] : [])))
const schema = join(root, chart, 'values.schema.json')
const written = JSON.parse(readFileSync(schema, 'utf8')) as {
  definitions: { secretFiles: { properties: object }; settings: { properties: object } }
}
const each = (rule: object) => Object.fromEntries(Array.from(secretSettings, (name) => [name, rule]))
written.definitions.secretFiles.properties = each({ $ref: '#/definitions/secretKey' })
written.definitions.settings.properties = each({ type: 'null' })
writeFileSync(schema, JSON.stringify(written))
execFileSync('biome', ['format', '--write', schema], { cwd: root, stdio: 'ignore' })

const values = read(`${chart}/values.yaml`)
const helm = goProgram('helm')
for (const target of rendered) {
  const made = execFileSync(helm, templateArgs(target), { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  const [, password] = /-passwords$[^]*?stringData:\n\s+\w+: (\w{40})$/m.exec(made) ?? []
  // The password is random at each run.
  const text = password ? made.replaceAll(password, 'GeneratedOnce'.padEnd(40, '0')) : made
  // Omit alerts and dashboards, which are long and verbatim in the chart.
  const kept = text
    .split(/^---$/m)
    .filter((object) => object.trim() && !/PrometheusRule|parley-dashboards/.test(object))
  writeFileSync(
    join(root, target.file),
    `${headOf(target)}\n---${kept.map((object) => object.trimEnd()).join('\n---')}\n`,
  )
  console.log(`✔ ${target.file}`)
}

const { settings, secrets } = parse(values) as {
  settings: Record<string, unknown>
  secrets: { files: Record<string, string> }
}
const files = Object.entries(secrets.files).map(([name, key]) => [`${name}_FILE`, `/run/secrets/${key}`])
const lines = [...files, ...Object.entries(settings)].map(([name, value]) => `${name}=${String(value)}`)
writeFileSync(
  join(root, 'deploy/k8s/base/settings.env'),
  `# Written by npm run chart from the chart's values; do not edit. Every variable is in docs/settings.md.\n${lines.join('\n')}\n`,
)

const readme = read(`${chart}/README.md`)
const table = `<!-- values -->\n\n${valuesTable(values)}\n\n<!-- end -->`
writeFileSync(
  join(root, chart, 'README.md'),
  readme.replace(/<!-- values -->[^]*<!-- end -->/, () => table),
)
