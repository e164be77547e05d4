import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { goProgram, runs } from './chart/go-programs.ts'
import { chart, rendered, templateArgs } from './chart/rendered.ts'

/** Kubernetes' own schemas, and those of the CRDs used by the chart and its examples. */
const schemas = [
  'default',
  'https://raw.githubusercontent.com/datreeio/CRDs-catalog/main/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json',
]
/** Values that the chart refuses, and what the error names. */
const wrongValues = [
  ['realtimee.replicas=2', "'realtimee'"],
  ['apiGateway.replicas=two', "'/apiGateway/replicas'"],
  ['apiGateway.autoscaling.min=0', "'/apiGateway/autoscaling/min'"],
  ['stats.resources.requests.cpu=much', "'/stats/resources/requests/cpu'"],
  ['podDisruptionBudgets.maxUnavailable=one', "'/podDisruptionBudgets/maxUnavailable'"],
  ['settings.PASSWORD=secret', "at '/settings': additional properties 'PASSWORD'"],
  ['push.settings.PARLEY_NATS_URL=nats://nats', "'/push/settings/PARLEY_NATS_URL'"],
  ['secrets.files.PARLEY_DRAIN_MS=drain', "at '/secrets/files': additional properties 'PARLEY_DRAIN_MS'"],
  ['secrets.files.PARLEY_NATS_URL=a/b', "'/secrets/files/PARLEY_NATS_URL'"],
  ['apiGateway.autoscaling.enabled=true,apiGateway.autoscaling.min=30', 'apiGateway.autoscaling: min is greater than'],
  ['monitoring.podMonitor.enabled=true,monitoring.serviceMonitor.enabled=true', 'monitoring: enable podMonitor or'],
  ['settings=null', "missing property 'settings'"],
  ['podLabels.app\\.kubernetes\\.io/name=parley', "'/podLabels/app.kubernetes.io~1name'"],
] as const
const root = join(import.meta.dirname, '../..')

/** `npm run check:k8s`: lints the chart and strictly validates every object of the chart and of deploy/k8s. */
const options = new Command('npm run check:k8s --')
  .description(
    'Lints the chart with helm, renders it with each example, builds deploy/k8s with kubectl or kustomize, and validates every object with kubeconform, CRDs included. Builds programs that are not on the PATH with Go.',
  )
  .option('--kubeconform <command>', 'a kubeconform with its own schemas, such as ../shared/lab/kubeconform')
  .option('--kubernetes <version>', 'the version whose schemas to use', '1.34.0')
  .parse()
  .opts<{ kubeconform?: string; kubernetes: string }>()

const helm = goProgram('helm')
// Kustomize reads these secrets. Existing ones are kept.
execFileSync(join(root, 'deploy/make-secrets'), [join(root, 'deploy/k8s/overlays/try/secrets')])
const [build, ...how] = runs('kubectl', 'version', '--client')
  ? ['kubectl', 'kustomize']
  : [goProgram('kustomize'), 'build']
const [validate, ...strictly] = options.kubeconform
  ? [options.kubeconform]
  : [
      goProgram('kubeconform'),
      ...['-strict', '-summary', '-kubernetes-version', options.kubernetes],
      ...schemas.flatMap((location) => ['-schema-location', location]),
    ]

for (const target of rendered) {
  const { file, values } = target
  check(`helm lint with ${values}`, helm, [
    'lint',
    '--strict',
    '--quiet',
    chart,
    '--values',
    values,
    '--kube-version',
    options.kubernetes,
  ])
  const objects = execFileSync(helm, templateArgs(target, options.kubernetes), { cwd: root, maxBuffer: 2 ** 26 })
  check(`the chart with ${values}`, validate, [...strictly, '-'], objects)
  check(file, validate, [...strictly, '-'], readFileSync(join(root, file)))
}
for (const [value, named] of wrongValues) {
  const args = ['template', 'parley', chart, '--kube-version', options.kubernetes, '--set', value]
  const { status, stderr } = spawnSync(helm, args, { cwd: root, encoding: 'utf8' })
  const isNamed = status !== 0 && stderr.includes(named)
  console.log(isNamed ? `✔ the chart refuses ${value}, by name` : `✖ ${value} is not refused as ${named}: ${stderr}`)
  if (!isNamed) process.exitCode = 1
}
// In a NetworkPolicy, a rule without ports allows all of them.
const noPorts = ['--set-json', 'networkPolicies={"enabled":true,"serverPorts":[],"outsidePorts":[]}']
const policies = execFileSync(helm, [...templateArgs({ file: '', values: `${chart}/values.yaml` }), ...noPorts], {
  cwd: root,
  encoding: 'utf8',
})
const opensAll = /- ports:(?!\n +- )/.test(policies)
console.log(opensAll ? '✖ an empty list of ports allows all ports' : '✔ an empty list of ports allows none')
if (opensAll) process.exitCode = 1
const overlay = 'deploy/k8s/overlays/try'
check(overlay, validate, [...strictly, '-'], execFileSync(build, [...how, join(root, overlay)]))

function check(about: string, command: string, args: string[], input?: Buffer): void {
  const { status, error } = spawnSync(command, args, { cwd: root, input, stdio: ['pipe', 'inherit', 'inherit'] })
  if (error) throw error
  console.log(status === 0 ? `✔ ${about}` : `✖ ${about}`)
  if (status !== 0) process.exitCode = 1
}
