import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

const root = join(import.meta.dirname, '../..')
export const k8s = join(root, 'deploy/k8s')
export const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Probe {
  httpGet?: { path: string; port: string }
}
interface Container {
  name: string
  image: string
  args?: string[]
  command?: string[]
  env?: { name: string; value: string }[]
  ports?: { name: string; containerPort: number }[]
  startupProbe?: Probe
  readinessProbe?: Probe
  livenessProbe?: Probe
  lifecycle?: { preStop: { sleep: { seconds: number } } }
  resources: { requests: { cpu: string; memory: string }; limits: { memory: string } }
  securityContext: object
}
interface PodSpec {
  containers: Container[]
  automountServiceAccountToken: boolean
  serviceAccountName?: string
  terminationGracePeriodSeconds?: number
  securityContext: { runAsNonRoot: boolean; runAsUser: number; seccompProfile: { type: string } }
  topologySpreadConstraints?: { topologyKey: string; labelSelector: { matchLabels: Labels } }[]
}
export type Labels = Record<string, string>
export interface KubeObject {
  file: string
  kind: string
  metadata: { name: string; annotations?: Labels; labels?: Labels }
  data?: Labels
  spec: {
    selector: Labels & { matchLabels: Labels }
    template: { metadata: { labels: Labels }; spec: PodSpec }
    ports: { port: number; targetPort: string }[]
    [field: string]: unknown
  }
}

export const objects = globSync('{base,components,overlays}/**/*.yaml', { cwd: k8s })
  .filter((file) => !/kustomization|values\.yaml|adapter-rule/.test(file))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(join(k8s, file), 'utf8')).map((document) => {
      assert.deepEqual(document.errors, [], file)
      return Object.assign(document.toJS() as Omit<KubeObject, 'file'>, { file })
    }),
  )
export const ofKind = (...kinds: string[]) => objects.filter(({ kind }) => kinds.includes(kind))
export const workloads = ofKind('Deployment', 'StatefulSet', 'Job')
export const services = ['api-gateway', 'realtime', 'push', 'stats']
export const deployments = workloads.filter(({ metadata }) => services.includes(metadata.name))
export const podOf = ({ spec }: KubeObject) => spec.template.spec
export const mainOf = (object: KubeObject) => podOf(object).containers[0] as Container
