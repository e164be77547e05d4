import { readFileSync } from 'node:fs'
import { startBenchService } from '../bench-service.ts'
import { cpuSeconds, residentKiB } from '../process-usage.ts'
import type { Setup } from './setup.ts'

type Node = Awaited<ReturnType<typeof startBenchService>>

/** The realtime nodes, which are killed and replaced. */
export async function startNodes({ servers }: Setup, count: number) {
  let started = 0
  const start = () =>
    startBenchService(
      'realtime',
      servers,
      {
        PARLEY_NODE_ID: `bench-${++started}`,
        PARLEY_REALTIME_CONNECTIONS_PER_ADDRESS: '0',
        PARLEY_REALTIME_ADMISSIONS_PER_SECOND: '0',
      },
      { mayDie: true },
    )
  let nodes: Node[] = await Promise.all(Array.from({ length: count }, start))
  const sum = (of: (pid: number) => number) => nodes.reduce((total, { pid }) => total + of(pid), 0)
  return {
    ports: () => nodes.map(({ ports }) => ports['http'] ?? 0),
    /** Resident memory of all nodes, in KiB. */
    residentKiB: () => sum(residentKiB),
    cpuSeconds: () => sum(cpuSeconds),
    /** Kills the first node with SIGKILL. */
    async kill() {
      const [first, ...others] = nodes
      nodes = others
      if (first) process.kill(first.pid, 'SIGKILL')
      await first?.stop()
    },
    /** Starts another node: the remaining ones lack file descriptors for the sockets of a killed one. */
    async startAnother() {
      nodes = [...nodes, await start()]
    },
    /** Starts a new node, then drains the first. */
    async replaceFirst() {
      const fresh = await start()
      const [first, ...others] = nodes
      nodes = [...others, fresh]
      return { drained: first?.stop() ?? Promise.resolve() }
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
    },
  }
}
export type Nodes = Awaited<ReturnType<typeof startNodes>>

/** The kernel's memory for slab objects and TCP buffers of the whole machine, in KiB (proc(5)). */
export function kernelKiB(): number {
  const slab = Number(/Slab:\s+(\d+) kB/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1])
  const pages = Number(/^TCP:.* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1])
  return slab + pages * 4
}
