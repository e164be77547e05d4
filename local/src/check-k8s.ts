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
  ['networkPolicies.dns[0].port=53', "'/networkPolicies/dns/0': additional properties 'port'"],
  [
    'push.settings.PARLEY_INTERNAL_PORT=9000',
    'settings.PARLEY_INTERNAL_PORT: Services and probes use the default port',
  ],
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
  say(isNamed, `the chart refuses ${value}, by name${isNamed ? '' : ` (as ${named}): ${stderr}`}`)
}
// In a NetworkPolicy, a rule without ports allows all of them.
const policies = render('--set-json', 'networkPolicies={"enabled":true,"serverPorts":[],"outsidePorts":[]}')
say(!/- ports:(?! \[|\n +- )/.test(policies), 'an empty list of ports allows none')
const urls = ['mongo', 'nats', 'redis'].map((server) => `secrets.urls.${server}=${server}://:{password}@${server}`)
const namesWith = (prefix: string) =>
  render(
    '--set',
    [`prefix=${prefix}`, 'secrets.create=true', 'backup.enabled=true', 'backup.place=s3://b/c', ...urls].join(),
  )
    .split(/^---$/m)
    .map((object) => /^kind: .*$/m.exec(object)?.[0] + (/^ {2}name: .*$/m.exec(object)?.[0] ?? ''))
const [ofOne, ofOther] = [namesWith('one-'), namesWith('other-')]
say(!ofOne.slice(1).some((name) => ofOther.includes(name)), 'two releases with prefixes share a namespace')
const backup = [
  'settingsFrom=own',
  'backup.enabled=true',
  'backup.place=s3://b/c',
  'backup.mongoUrlKey=backup-url',
].join()
const ofBackup = render('--set', backup)
  .split(/^---$/m)
  .find((object) => object.includes('kind: CronJob'))
say(ofBackup?.includes('/run/secrets/backup-url') === true, 'backups have their own user with settingsFrom too')
const overlay = 'deploy/k8s/overlays/try'
check(overlay, validate, [...strictly, '-'], execFileSync(build, [...how, join(root, overlay)]))

/** Renders the chart with its defaults and further arguments of helm. */
function render(...more: string[]): string {
  const args = [...templateArgs({ file: '', values: `${chart}/values.yaml` }), ...more]
  return execFileSync(helm, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
}

function say(isGood: boolean, about: string): void {
  console.log(`${isGood ? '✔' : '✖'} ${about}`)
  if (!isGood) process.exitCode = 1
}

function check(about: string, command: string, args: string[], input?: Buffer): void {
  const { status, error } = spawnSync(command, args, { cwd: root, input, stdio: ['pipe', 'inherit', 'inherit'] })
  if (error) throw error
  say(status === 0, about)
}
