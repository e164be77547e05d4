import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { connectionsIn } from '../service-metrics.ts'

export const namespace = 'parley'
export const deployments = ['api-gateway', 'realtime', 'push', 'stats'] as const
export type Deployment = (typeof deployments)[number]

export interface Pod {
  name: string
  /** The name of its Deployment. */
  of: string
  isReady: boolean
  isStopping: boolean
  /** Restarts of its containers. */
  restarts: number
}

/**
 * Runs kubectl in Parley's namespace, against the current KUBECONFIG.
 * @param input its standard input
 * @throws with its output if it fails
 */
export async function kubectl(args: readonly string[], input = ''): Promise<string> {
  const child = spawn('kubectl', ['--namespace', namespace, ...args])
  child.stdin.end(input)
  const ended = once(child, 'close')
  const [out, complaint] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await ended
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${complaint.trim()}`)
  return out
}

interface PodList {
  items: {
    metadata: { name: string; labels?: Record<string, string>; deletionTimestamp?: string }
    status: {
      conditions?: { type: string; status: string }[]
      containerStatuses?: { restartCount: number }[]
    }
  }[]
}

/** The pods of Parley's services, including stopping ones. */
export async function podsOf(...which: readonly string[]): Promise<Pod[]> {
  const selector = `app.kubernetes.io/name in (${which.join(',')})`
  const { items } = JSON.parse(await kubectl(['get', 'pods', '--selector', selector, '--output', 'json'])) as PodList
  return items.map(({ metadata, status }) => ({
    name: metadata.name,
    of: metadata.labels?.['app.kubernetes.io/name'] ?? '',
    isReady: status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false,
    isStopping: metadata.deletionTimestamp !== undefined,
    restarts: (status.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0),
  }))
}

/** The number of connections on all realtime pods, by their own count. */
export async function openConnections(): Promise<number> {
  const pods = (await podsOf('realtime')).filter(({ isReady }) => isReady)
  const counts = await Promise.all(
    pods.map(async ({ name }) => {
      const path = `/api/v1/namespaces/${namespace}/pods/${name}:9090/proxy/metrics`
      return connectionsIn(await kubectl(['get', '--raw', path]))
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Waits until each service has all its pods ready, and none starting or stopping. */
export async function atRest(withinMS = 300_000): Promise<void> {
  for (const name of deployments) await kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=5m'])
  const endMS = performance.now() + withinMS
  for (;;) {
    const pods = await podsOf(...deployments)
    const unready = pods.filter(({ isReady, isStopping }) => !isReady || isStopping)
    if (unready.length === 0) return
    if (performance.now() > endMS) throw new Error(`not at rest: ${unready.map(({ name }) => name).join(', ')}`)
    await pause(1_000)
  }
}

/**
 * Evicts a pod like `kubectl drain`, retrying while its disruption budget forbids it.
 * @returns the number of refusals
 */
export async function evict(pod: string, withinMS = 300_000): Promise<number> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } }
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`
  const endMS = performance.now() + withinMS
  for (let refused = 0; ; refused++) {
    try {
      await kubectl(['create', '--raw', path, '--filename', '-'], JSON.stringify(eviction))
      return refused
    } catch (error) {
      const isBudget = error instanceof Error && error.message.includes('disruption budget')
      if (!isBudget || performance.now() > endMS) throw error
      await pause(1_000)
    }
  }
}

/** Starts `kubectl port-forward` to a Service; returns the local URL and a function to stop it. */
export async function portForward(service: string, port: number): Promise<{ url: string; stop(): Promise<void> }> {
  const args = ['--namespace', namespace, 'port-forward', `service/${service}`, `:${port}`]
  const child = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const local = await localPort(child)
  return {
    url: `http://127.0.0.1:${local}`,
    async stop() {
      const ended = once(child, 'close')
      child.kill()
      await ended
    },
  }
}

function localPort(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout?.on('data', (chunk) => {
      said += String(chunk)
      const [, port] = /127\.0\.0\.1:(\d+)/.exec(said) ?? []
      if (port !== undefined) resolve(port)
    })
    child.once('close', () => reject(new Error(`kubectl port-forward ended: ${said}`)))
  })
}
