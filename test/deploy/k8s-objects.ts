import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'

const root = join(import.meta.dirname, '../..')
const deploy = join(root, 'deploy')
export const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Probe {
  httpGet?: { path: string; port: string }
}
interface Container {
  name: string
  image: string
  args?: string[]
  command?: string[]
  env?: { name: string; value?: string; valueFrom?: object }[]
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
  restartPolicy?: string
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
  stringData?: Labels
  spec: {
    selector: Labels & { matchLabels: Labels }
    template: { metadata: { labels: Labels; annotations?: Labels }; spec: PodSpec }
    ports: { port: number; targetPort: string }[]
    [field: string]: unknown
  }
}

/** The objects in YAML files below deploy/; `file` is relative to it. */
export function objectsIn(pattern: string): KubeObject[] {
  return globSync(pattern, { cwd: deploy })
    .filter((file) => !/kustomization|values\.yaml/.test(file))
    .flatMap((file) =>
      parseAllDocuments(readFileSync(join(deploy, file), 'utf8')).map((document) => {
        assert.deepEqual(document.errors, [], file)
        return Object.assign(document.toJS() as Omit<KubeObject, 'file'>, { file })
      }),
    )
}
const kindsOf =
  (objects: KubeObject[]) =>
  (...kinds: string[]) =>
    objects.filter(({ kind }) => kinds.includes(kind))

/** The objects of deploy/k8s, including the chart's. */
export const objects = objectsIn('k8s/**/*.yaml')
/** The objects of the chart with examples/production.yaml and with examples/ingress-nginx.yaml. */
export const production = kindsOf(objectsIn('helm/rendered/production.yaml'))
export const withIngress = kindsOf(objectsIn('helm/rendered/ingress-nginx.yaml'))
export const ofKind = kindsOf(objects)
export const workloads = ofKind('Deployment', 'StatefulSet', 'Job')
export const services = ['api-gateway', 'realtime', 'push', 'stats']
export const deployments = workloads.filter(({ metadata }) => services.includes(metadata.name))
export const podOf = ({ spec }: KubeObject) => spec.template.spec
export const mainOf = (object: KubeObject) => podOf(object).containers[0] as Container
/** The variables set directly in a container. */
export const environmentOf = ({ env = [] }: Container): Labels =>
  Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])))
/** The settings of deploy/k8s/base. */
export const settings: Labels = Object.fromEntries(
  [...read('deploy/k8s/base/settings.env').matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]),
)
