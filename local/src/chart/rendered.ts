import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../..')
export const chart = 'deploy/helm/parley'

/** A manifest file that `npm run chart` renders from the chart with these values. Paths are relative to the repository's root. */
export interface Rendered {
  file: string
  values: string
}

/** Manifests rendered for tests and readers without Helm: the base of deploy/k8s, then the chart's examples. */
export const rendered: Rendered[] = [
  { file: 'deploy/k8s/base/parley.yaml', values: 'deploy/k8s/base/values.yaml' },
  { file: 'deploy/helm/rendered/production.yaml', values: 'deploy/helm/examples/production.yaml' },
  { file: 'deploy/helm/rendered/ingress-nginx.yaml', values: 'deploy/helm/examples/ingress-nginx.yaml' },
]

/** The first line of such a file: a digest of the chart's templates and values, without alerts and dashboards. */
export function headOf({ values }: Rendered): string {
  const files = [...globSync('templates/*', { cwd: join(root, chart) }).toSorted(), 'Chart.yaml', 'values.yaml'].map(
    (file) => join(chart, file),
  )
  const hash = createHash('sha256')
  for (const file of [...files, values]) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return `# Written by npm run chart from ${chart} and ${values}; do not edit. ${hash.digest('hex').slice(0, 16)}`
}

/** Arguments of helm that render such a file. A helm built with Go assumes Kubernetes 1.20 unless told otherwise. */
export function templateArgs({ values }: Rendered, kubernetes = '1.34.0'): string[] {
  return ['template', 'parley', chart, '--namespace', 'parley', '--kube-version', kubernetes, '--values', values]
}
