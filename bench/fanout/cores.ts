import { execFileSync } from 'node:child_process'

/** The core of the measured process, and the one of everything else. */
export const cores = { server: 0, others: 1 } as const

/** Puts a process with all its threads on a core. */
export function pin(pid: number, core: number): void {
  execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' })
}
