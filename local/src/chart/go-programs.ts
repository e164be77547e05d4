import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Kubernetes programs as Go modules, each with arguments that every version accepts. */
const programs = {
  helm: { module: 'helm.sh/helm/v3/cmd/helm@v3.22.0', probe: ['version', '--short'] },
  kustomize: { module: 'sigs.k8s.io/kustomize/kustomize/v5@v5.6.0', probe: ['version'] },
  kubeconform: { module: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0', probe: ['-v'] },
}

/** The command of a program: the one on the PATH, or one built with Go and cached. */
export function goProgram(name: keyof typeof programs): string {
  const { module, probe } = programs[name]
  if (runs(name, ...probe)) return name
  const [, version = ''] = module.split('@')
  const bin = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'parley', `${name}-${version}`)
  if (!existsSync(join(bin, name))) {
    console.error(`· ${name}: building ${module} with Go, once`)
    mkdirSync(bin, { recursive: true })
    execFileSync('go', ['install', module], { env: { ...process.env, GOBIN: bin }, stdio: 'inherit' })
  }
  return join(bin, name)
}

/** Whether a command exists and succeeds. */
export function runs(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
