import { execFileSync } from 'node:child_process'

/** The cores of the measured process and of everything else. */
export const cores = { server: 0, others: 1 } as const

/** Pins a process with all its threads to a core. */
export function pin(pid: number, core: number): void {
  execFileSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' })
}
