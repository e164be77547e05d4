import { kubectl } from './cluster.ts'

/** The peak use of a container. */
export interface Use {
  /** Thousandths of a core. */
  cpu: number
  /** MiB. */
  memory: number
}

const everyMS = 15_000

/** Polls metrics-server for the containers' use until it is stopped. */
export function watchResources(): { stop(): Map<string, Use> } {
  const max = new Map<string, Use>()
  const timer = setInterval(() => {
    kubectl(['top', 'pods', '--containers', '--no-headers'])
      .then((table) => note(max, table))
      // Stopping pods have no metrics, and a cluster can lack metrics-server. Report what could be read.
      .catch((error: Error) => console.log(`· not measured: ${error.message.split('\n')[0]}`))
  }, everyMS)
  return {
    stop() {
      clearInterval(timer)
      return max
    },
  }
}

/** @param table lines of `kubectl top pods --containers --no-headers`: pod, container, `12m`, `34Mi` */
export function note(max: Map<string, Use>, table: string): void {
  for (const line of table.split('\n')) {
    const [, container, cpu, memory] = line.trim().split(/\s+/)
    if (!container || !cpu || !memory) continue
    const seen = max.get(container) ?? { cpu: 0, memory: 0 }
    max.set(container, {
      cpu: Math.max(seen.cpu, Number.parseInt(cpu, 10)),
      memory: Math.max(seen.memory, Number.parseInt(memory, 10)),
    })
  }
}
