import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cpuSeconds } from '../process-usage.ts'
import type { Command, CrowdClient, Reply } from './crowd.ts'

/** Below the limit of 20,000 open files per process on the benchmark machine. */
const perProcess = 17_000

/** The clients, spread over processes. */
export async function startCrowds(clients: readonly CrowdClient[]) {
  const count = Math.max(2, Math.ceil(clients.length / perProcess))
  const children: ChildProcess[] = Array.from({ length: count }, () => fork(join(import.meta.dirname, 'crowd.ts')))
  for (const child of children) {
    child.once('exit', (code) => {
      if (code) throw new Error(`a process of clients ended with ${code}`)
    })
  }
  const ask = (command: (n: number) => Command) =>
    Promise.all(
      children.map(async (child, n) => {
        child.send(command(n))
        const [reply] = (await once(child, 'message')) as [Reply]
        return reply
      }),
    )
  const all = async (command: Command): Promise<Reply> => {
    const replies = await ask(() => command)
    const sum = (of: (reply: Reply) => number) => replies.reduce((total, reply) => total + of(reply), 0)
    return {
      connected: sum(({ connected }) => connected),
      lost: sum(({ lost }) => lost),
      got: sum(({ got }) => got),
      lateMS: replies.flatMap(({ lateMS }) => lateMS),
      missing: sum(({ missing }) => missing),
    }
  }
  return {
    async connect(command: Omit<Extract<Command, { do: 'connect' }>, 'do'>) {
      await ask((n) => ({ ...command, do: 'connect', clients: command.clients.filter((_, i) => i % count === n) }))
    },
    async use(ports: readonly number[]) {
      await ask(() => ({ do: 'use', ports }))
    },
    /** Counts, without `lateMS`. */
    counts: () => all({ do: 'count' }),
    report: () => all({ do: 'report' }),
    cpuSeconds: () => children.reduce((total, { pid }) => total + cpuSeconds(pid ?? 0), 0),
    missing: async (lastSeqs: Readonly<Record<string, number>>) => (await all({ do: 'check', lastSeqs })).missing,
    async stop() {
      const ends = children.map((child) => once(child, 'exit'))
      for (const child of children) child.disconnect()
      await Promise.all(ends)
    },
  }
}
export type Crowds = Awaited<ReturnType<typeof startCrowds>>
