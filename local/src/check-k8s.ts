import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'

/** Validators as Go modules, built once into the cache unless they are on the PATH. */
const modules = {
  kustomize: 'sigs.k8s.io/kustomize/kustomize/v5@v5.6.0',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0',
}
/** Kubernetes' own schemas, and those of the CRDs that deploy/k8s uses (Gateway API, Prometheus operator). */
const schemas = [
  'default',
  'https://raw.githubusercontent.com/datreeio/CRDs-catalog/main/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json',
]
const root = join(import.meta.dirname, '../..')

/** `npm run check:k8s`: builds each kustomization and validates every object strictly. */
const options = new Command('npm run check:k8s --')
  .description(
    'Builds deploy/k8s with kubectl, or kustomize, and validates every object with kubeconform, CRDs included. What is not on the PATH is built by Go.',
  )
  .option('--kubeconform <command>', 'another kubeconform, with schemas of its own, such as ../shared/lab/kubeconform')
  .option('--kubernetes <version>', 'whose schemas to validate by', '1.34.0')
  .parse()
  .opts<{ kubeconform?: string; kubernetes: string }>()

// kustomize reads them; those that are there stay.
execFileSync(join(root, 'deploy/make-secrets'), [join(root, 'deploy/k8s/overlays/try/secrets')])
const kustomize = has('kubectl', 'version', '--client') ? ['kubectl', 'kustomize'] : [program('kustomize'), 'build']
const validate = options.kubeconform
  ? [options.kubeconform]
  : [
      program('kubeconform'),
      ...['-strict', '-summary', '-kubernetes-version', options.kubernetes],
      ...schemas.flatMap((location) => ['-schema-location', location]),
    ]

for (const overlay of ['overlays/try', 'overlays/production', 'components/ingress']) {
  const [build = '', ...how] = kustomize
  const input = execFileSync(build, [...how, join(root, 'deploy/k8s', overlay)])
  const [command = '', ...args] = validate
  const { status, error } = spawnSync(command, [...args, '-'], { input, stdio: ['pipe', 'inherit', 'inherit'] })
  if (error) throw error
  console.log(status === 0 ? `✔ ${overlay}` : `✖ ${overlay}`)
  if (status !== 0) process.exitCode = 1
}

function has(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}

function program(name: keyof typeof modules): string {
  if (has(name, name === 'kustomize' ? 'version' : '-v')) return name
  const [, version = ''] = modules[name].split('@')
  const bin = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'parley', `${name}-${version}`)
  if (!existsSync(join(bin, name))) {
    console.log(`· ${name}: building ${modules[name]} by Go, once`)
    mkdirSync(bin, { recursive: true })
    execFileSync('go', ['install', modules[name]], { env: { ...process.env, GOBIN: bin }, stdio: 'inherit' })
  }
  return join(bin, name)
}
