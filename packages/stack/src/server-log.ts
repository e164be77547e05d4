import { constants, existsSync, openSync, readFileSync } from 'node:fs'

const { O_APPEND, O_CREAT, O_TRUNC, O_WRONLY } = constants

/** Opens an empty log for a process. In append mode, a log that logrotate truncates (copytruncate) has no hole. */
export function openLog(path: string): number {
  return openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND)
}

/** The lines of a log; none if it was renamed or removed. */
export function readLog(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}
