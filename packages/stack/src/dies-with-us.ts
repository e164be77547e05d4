import { spawnSync } from 'node:child_process'

/**
 * A command that runs a program so that the kernel sends it the signal when this process dies, however it dies: by
 * setpriv of util-linux, which every Debian has. Elsewhere the program is run as it is.
 */
export function diesWithUs(signal: 'TERM' | 'KILL', program: string, args: string[]): [string, string[]] {
  const hasSetpriv = spawnSync('setpriv', ['--version'], { stdio: 'ignore' }).status === 0
  return hasSetpriv ? ['setpriv', ['--pdeathsig', signal, '--', program, ...args]] : [program, args]
}
