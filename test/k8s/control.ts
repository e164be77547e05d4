import { kubectl } from './cluster.ts'

/** About what a service of Parley computes until it is ready, on a machine where nothing else runs. */
const computesMS = 1_500
const name = 'e2e-control'

/**
 * Starts pods that have nothing to do with Parley, replaces them as an update would, and removes them: what clients notice of
 * that comes of the machine, which has to start processes, and of nothing that Parley could do better.
 * @param image of Node.js; that of Parley is on the nodes already
 */
export async function startAndReplaceOthers(image: string): Promise<undefined> {
  await kubectl(['apply', '--filename', '-'], JSON.stringify(deploymentOf(image)))
  try {
    const ready = () => kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=5m'])
    await ready()
    await kubectl(['rollout', 'restart', `deployment/${name}`])
    await ready()
  } finally {
    await kubectl(['delete', 'deployment', name, '--cascade=foreground', '--timeout=5m'])
  }
}

function deploymentOf(image: string): object {
  const labels = { 'app.kubernetes.io/name': name }
  const compute = `const begin = Date.now(); while (Date.now() - begin < ${computesMS}) {}`
  const container = {
    ...{ name, image, imagePullPolicy: 'IfNotPresent', command: ['node', '--eval'] },
    // Ready when it has computed. As PID 1 it has no default way to end.
    args: [
      `${compute}; require('http').createServer((_, r) => r.end()).listen(9090); process.on('SIGTERM', process.exit)`,
    ],
    readinessProbe: { httpGet: { path: '/', port: 9090 }, periodSeconds: 2 },
    resources: { requests: { cpu: '150m', memory: '64Mi' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
  }
  const securityContext = { runAsNonRoot: true, runAsUser: 1_000, seccompProfile: { type: 'RuntimeDefault' } }
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, labels } },
    spec: {
      replicas: 2,
      strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { automountServiceAccountToken: false, securityContext, containers: [container] },
      },
    },
  }
}
