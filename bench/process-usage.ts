import { readFileSync } from 'node:fs'

/** The kernel counts in ticks of 10 ms (USER_HZ). */
const ticksPerSecond = 100

/** User and system CPU time of a process since its start, in seconds (proc(5), /proc/pid/stat). */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The command name may contain spaces. utime and stime are fields 14 and 15 of the whole line.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

/** Resident memory of a process in KiB (proc(5), /proc/pid/status). */
export function residentKiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}
