import { atRest, type Deployment, deployments, evict, kubectl, podsOf } from './cluster.ts'
import { startAndReplaceOthers } from './control.ts'

/** An action on the cluster under load. */
export interface Step {
  name: string
  title: string
  /** Allowed reconnects per client: one per stop of its node. */
  reconnects: number
  /** Whether calls may go unanswered because the step kills processes. */
  mayKillCalls?: true
  /** The step does not touch Parley, so any delay comes from the machine. */
  isControl?: true
  /** Runs the step; may return a remark for the report. */
  run(): Promise<string | undefined>
}

/** Every step, in order. @param updates the updates and rollbacks */
export function allSteps(updates: readonly Step[], image: string): Step[] {
  return [
    {
      name: 'control',
      title: 'unrelated pods start, are replaced and stop',
      reconnects: 0,
      isControl: true,
      run: () => startAndReplaceOthers(image),
    },
    ...updates,
    ...deployments.map((name) => ({
      name: `restart-${name}`,
      title: `\`kubectl rollout restart\` of ${name}`,
      reconnects: name === 'realtime' ? 1 : 0,
      run: () => restart(name),
    })),
    { name: 'scale', title: 'realtime scales from 2 pods to 4 and back', reconnects: 1, run: scale },
    ...(['realtime', 'api-gateway'] as const).map((name) => ({
      name: `kill-${name}`,
      title: `a pod of ${name} is killed without a grace period`,
      reconnects: name === 'realtime' ? 1 : 0,
      mayKillCalls: true as const,
      run: () => kill(name),
    })),
    { name: 'evict', title: 'every pod is evicted, as the disruption budgets allow', reconnects: 2, run: evictAll },
  ]
}

async function restart(name: Deployment): Promise<undefined> {
  await kubectl(['rollout', 'restart', `deployment/${name}`])
  await atRest()
}

async function scale(): Promise<undefined> {
  for (const replicas of [4, 2]) {
    await kubectl(['scale', 'deployment/realtime', `--replicas=${replicas}`])
    await atRest()
  }
}

async function kill(name: Deployment): Promise<undefined> {
  const [pod] = await podsOf(name)
  await kubectl(['delete', 'pod', String(pod?.name), '--grace-period=0', '--force'])
  await atRest()
}

/** Evicts one pod after the other without waiting for replacements, relying on the disruption budgets. */
async function evictAll(): Promise<string> {
  let refused = 0
  const pods = await podsOf(...deployments)
  for (const { name } of pods) refused += await evict(name)
  await atRest()
  return `${pods.length} pods; budgets refused ${refused} times`
}
