import { spawnSync } from 'node:child_process'

/**
 * A command that runs a program so that the kernel sends it a signal when this process dies, in any way. Uses setpriv
 * (util-linux, part of every Debian). Without setpriv, runs the program directly.
 */
export function diesWithUs(signal: 'TERM' | 'KILL', program: string, args: string[]): [string, string[]] {
  const hasSetpriv = spawnSync('setpriv', ['--version'], { stdio: 'ignore' }).status === 0
  return hasSetpriv ? ['setpriv', ['--pdeathsig', signal, '--', program, ...args]] : [program, args]
}
