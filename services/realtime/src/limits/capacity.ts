import { readFileSync } from 'node:fs'
import type { Logger } from '@parley/service/log'

/** Files that connections leave to MongoDB, NATS, Redis, logs, and connections that are about to be refused. */
const reservedFiles = 256
/** Of these, accepted connections may take all but the last. */
const keptFiles = 128
const logEveryMS = 60_000
/** Outside Linux the limit is unknown; the server refuses by itself there. */
const unlimited = Number.MAX_SAFE_INTEGER

export interface Capacity {
  /** Connections beyond these are refused with 503. */
  connections: number
  /** A connection accepted with this descriptor or a higher one is closed at once. */
  descriptors: number
}

/** @param max the setting: how many connections at most; 0 for as many as the process may open files */
export function capacityOf(max: number, files = openFilesLimit()): Capacity {
  const byFiles = Math.max(1, files - reservedFiles)
  return {
    connections: max > 0 ? Math.min(max, byFiles) : byFiles,
    descriptors: Math.max(reservedFiles, files) - keptFiles,
  }
}

/** Returns the function that logs a refusal with the number of open connections, once a minute. */
export function createFullLog(log: Logger, max: number): (open: number) => void {
  let loggedAtMS = Number.NEGATIVE_INFINITY
  return (open) => {
    if (performance.now() < loggedAtMS + logEveryMS) return
    loggedAtMS = performance.now()
    log.warn({ connections: open, max }, 'node full: new connections are refused')
  }
}

/** How many files this process may have open (proc(5), RLIMIT_NOFILE). Node.js raises its soft limit to the hard one. */
function openFilesLimit(): number {
  if (process.platform !== 'linux') return unlimited
  const [, soft] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  return soft === undefined || soft === 'unlimited' ? unlimited : Number(soft)
}
