import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { kubectl } from './cluster.ts'

const root = join(import.meta.dirname, '../..')
const overlay = join(root, 'deploy/k8s/overlays/try')
const dir = join(root, '.parley/e2e-k8s')
/** The label of a namespace in which the tests may kill. */
export const mark = 'parley.dev/e2e'

export interface Applied {
  image: string
  /** With the migration Job. */
  migrates: boolean
}

/** Applies deploy/k8s/overlays/try with this image, and Services reachable at a node's address. */
export async function applyRelease(release: Applied): Promise<void> {
  writeOverlay(release)
  await kubectl(['apply', '--kustomize', dir])
}

/** Updates the running services to this image, as in docs/operations.md: one after the other. */
export async function updateTo(release: Applied): Promise<void> {
  writeOverlay(release)
  await promisify(execFile)(join(root, 'deploy/k8s/update'), [dir])
}

function writeOverlay({ image, migrates }: Applied): void {
  execFileSync(join(root, 'deploy/make-secrets'), [join(overlay, 'secrets')], { stdio: 'ignore' })
  mkdirSync(dir, { recursive: true })
  const [newName, newTag = 'latest'] = splitTag(image)
  const patches: object[] = [
    { target: { kind: 'Namespace' }, patch: patchOf('Namespace', 'any', { metadata: { labels: { [mark]: 'true' } } }) },
  ]
  if (!migrates) {
    const gone = { $patch: 'delete' }
    patches.push({ target: { kind: 'Job', name: 'migrate' }, patch: patchOf('Job', 'migrate', gone) })
  }
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(dir, overlay), 'services.json'],
    images: [{ name: 'parley', newName, newTag }],
    patches,
  }
  // JSON is also YAML.
  writeFileSync(join(dir, 'kustomization.yaml'), JSON.stringify(kustomization, undefined, 2))
  const items = [nodePort('api-gateway', 8080), nodePort('realtime', 8081)]
  writeFileSync(join(dir, 'services.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
}

/** The addresses of the Services that `applyRelease` adds: a node's address, unless URLs are given. */
export async function nodeUrls(): Promise<{ gatewayUrl: string; realtimeUrl: string }> {
  const internal = '{.items[0].status.addresses[?(@.type=="InternalIP")].address}'
  const address = await kubectl(['get', 'nodes', '--output', `jsonpath=${internal}`])
  const port = (name: string) =>
    kubectl(['get', 'service', `e2e-${name}`, '--output', 'jsonpath={.spec.ports[0].nodePort}'])
  return {
    gatewayUrl: `http://${address}:${await port('api-gateway')}`,
    realtimeUrl: `http://${address}:${await port('realtime')}`,
  }
}

function splitTag(image: string): string[] {
  const at = image.lastIndexOf(':')
  return at > image.lastIndexOf('/') ? [image.slice(0, at), image.slice(at + 1)] : [image]
}

function patchOf(kind: string, name: string, patch: object): string {
  const apiVersion = { Namespace: 'v1', Job: 'batch/v1' }[kind]
  const { metadata = {}, ...rest } = patch as { metadata?: object }
  return JSON.stringify({ apiVersion, kind, metadata: { name, ...metadata }, ...rest })
}

function nodePort(name: string, port: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `e2e-${name}`, namespace: 'parley' },
    spec: { type: 'NodePort', selector: { 'app.kubernetes.io/name': name }, ports: [{ port, targetPort: 'http' }] },
  }
}
