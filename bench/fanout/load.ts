import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cores, pin } from './cores.ts'
import type { Connecting, Received } from './readers.ts'

/** The clients, in a separate process. */
export interface Load {
  pid: number
  /** Resolves when all are connected; returns the number of refused attempts. */
  connect(command: Connecting): Promise<number>
  /** Bytes received since the last call. */
  bytes(): Promise<number>
  /** Latencies of the events that one of the connections received since the last call, in milliseconds. */
  lateMS(): Promise<readonly number[]>
  /** Resolves when that many bytes have arrived; rejects when none arrive for a while. */
  receive(bytes: number): Promise<void>
  leave(): Promise<void>
  stop(): Promise<void>
}

const silenceMS = 10_000

export async function startLoad(): Promise<Load> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'readers.ts'))
  await once(child, 'message')
  const pid = child.pid ?? 0
  pin(pid, cores.others)
  child.once('exit', (code) => {
    if (code) throw new Error(`the load generator ended with ${code}`)
  })
  let last = 0
  const ask = async (command: Connecting | 'leave' | 'received') => {
    child.send(command)
    const [received] = (await once(child, 'message')) as [Received]
    return received
  }
  return {
    pid,
    async connect(command) {
      const before = await ask('received')
      return (await ask(command)).refused - before.refused
    },
    async leave() {
      await ask('leave')
    },
    async bytes() {
      const { bytes } = await ask('received')
      const since = bytes - last
      last = bytes
      return since
    },
    lateMS: async () => (await ask('received')).lateMS,
    async receive(wanted) {
      let seen = -1
      for (let changedMS = performance.now(); ; ) {
        const { bytes } = await ask('received')
        if (bytes - last >= wanted) break
        if (bytes !== seen) changedMS = performance.now()
        else if (performance.now() - changedMS > silenceMS)
          throw new Error(`${bytes - last} of ${wanted} bytes arrived`)
        seen = bytes
        await pause(20)
      }
      last += wanted
    },
    async stop() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
