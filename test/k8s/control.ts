import { kubectl } from './cluster.ts'

/** About the CPU time that a Parley service needs to become ready on an idle machine. */
const computesMS = 1_500
const name = 'e2e-control'

/**
 * Starts unrelated pods, replaces them as an update would, and removes them. This shows how much starting processes on the
 * machine affects clients, independent of Parley.
 * @param image an image with Node.js; Parley's own is already on the nodes
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
    // Becomes ready after some computation. As PID 1, it needs its own SIGTERM handler.
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
