import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { kubectl, namespace } from './cluster.ts'

export const root = join(import.meta.dirname, '../..')
/** Folder for the files of a run. */
export const dir = join(root, '.parley/e2e-k8s')
/** Label of a namespace in which this program may kill pods. */
export const mark = 'parley.dev/e2e'
const overlay = join(root, 'deploy/k8s/overlays/try')

export interface Images {
  /** The image of this release. */
  now: string
  /** The image of an earlier release. */
  before?: string
}

/** Creates `deploy/k8s/overlays/try/secrets` if missing. */
export function makeSecrets(): string {
  const secrets = join(overlay, 'secrets')
  execFileSync(join(root, 'deploy/make-secrets'), [secrets], { stdio: 'ignore' })
  return secrets
}

/** Writes the overlay of a run: deploy/k8s/overlays/try with this image and these patches, and with Services reachable at node addresses. */
export function writeOverlay(image: string, patches: object[]): void {
  makeSecrets()
  mkdirSync(dir, { recursive: true })
  const { repository, tag } = splitImage(image)
  const marked = JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'any', labels: { [mark]: 'true' } } },
  })
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(dir, overlay), 'services.json'],
    images: [{ name: 'parley', newName: repository, newTag: tag }],
    patches: [{ target: { kind: 'Namespace' }, patch: marked }, ...patches],
  }
  // JSON is also YAML.
  writeFileSync(join(dir, 'kustomization.yaml'), JSON.stringify(kustomization, undefined, 2))
  const items = [nodePort('api-gateway', 8080), nodePort('realtime', 8081)]
  writeFileSync(join(dir, 'services.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
}

export function splitImage(image: string): { repository: string; tag: string } {
  const at = image.lastIndexOf(':')
  return at > image.lastIndexOf('/')
    ? { repository: image.slice(0, at), tag: image.slice(at + 1) }
    : { repository: image, tag: 'latest' }
}

/** URLs of the overlay's Services at a node's address. */
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

function nodePort(name: string, port: number): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `e2e-${name}`, namespace },
    spec: { type: 'NodePort', selector: { 'app.kubernetes.io/name': name }, ports: [{ port, targetPort: 'http' }] },
  }
}
