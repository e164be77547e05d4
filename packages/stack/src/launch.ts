import { existsSync, mkdirSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerLocation } from './locate.ts'
import { readLog } from './server-log.ts'
import { StackError } from './stack-error.ts'

/** A server that we run, as a process or in a container. */
export interface RunningServer {
  /** The server's process ID on the host; undefined if it is not running. */
  readonly pid: number | undefined
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>
  /** Restarts after kill or stop, on the same port and data; resolves when the server is ready. */
  restart(): Promise<void>
  /** Stops the server (SIGTERM, after 10 s SIGKILL); resolves when the process is gone. */
  stop(): Promise<void>
  /** Calls the listener if the server exits without kill or stop, with the cause as a sentence fragment. */
  onExit(listener: (how: string) => void): void
}

/** How to start a server, in Docker or as a process. */
export interface Launch {
  title: string
  place: Exclude<ServerLocation, { way: 'url' }>
  port: number
  /** The data directory, kept between starts. */
  dir: string
  logFile: string
  /** Whether the server keeps this process alive. */
  keepsAlive: boolean
  /** Number of isolated parts that the server is divided into; 0 for none. */
  tenants: number
  /** The server's arguments, for a bind address and the data directory as seen by the program. */
  args: (bind: string, dir: string) => string[]
  /** Additional environment variables. Not for containers. */
  env?: NodeJS.ProcessEnv
  /** Resolves when the server is ready; retried while it rejects. */
  isReady: () => Promise<unknown>
}

/** The part of a launch that does not depend on the kind of server. */
export type LaunchPlace = Pick<Launch, 'place' | 'port' | 'dir' | 'logFile' | 'keepsAlive' | 'tenants'>

/** A run of a server that was just started. */
export interface ServerRun {
  pid: number
  /** Resolves with the end as a sentence fragment when the server is gone. */
  exited: Promise<string>
  /** Signals the server; it is killed if it does not exit after `stopMS`. */
  signal: (signal: 'SIGTERM' | 'SIGKILL') => unknown
}

/** Timeout for a server to become ready. */
export const readyMS = 60_000
/** Time between SIGTERM and SIGKILL. */
export const stopMS = 10_000

/** Starts a server and waits until it is ready. @throws StackError if the server exits or is not ready in time */
export async function startServer(launch: Launch, run: () => Promise<ServerRun>): Promise<RunningServer> {
  const listeners: ((how: string) => void)[] = []
  let current = await runOnce(launch, run, listeners)
  return {
    get pid() {
      return current.hasExited() ? undefined : current.pid
    },
    kill: () => current.end('SIGKILL'),
    stop: () => current.end('SIGTERM'),
    async restart() {
      if (!current.hasExited()) throw new Error(`${launch.title} is still running`)
      current = await runOnce(launch, run, listeners)
    },
    onExit: (listener) => void listeners.push(listener),
  }
}

/** Resolves once the server is ready. Calls the listeners if it exits later without `end`. */
async function runOnce(launch: Launch, run: () => Promise<ServerRun>, listeners: readonly ((how: string) => void)[]) {
  mkdirSync(launch.dir, { recursive: true })
  mkdirSync(dirname(launch.logFile), { recursive: true })
  const { pid, exited, signal } = await run()
  let how: string | undefined
  let isWatched = false
  const watch = async () => {
    how = await exited
    if (!isWatched) return
    const text = how.endsWith('SIGKILL') ? how : `${how}: ${lastCause(launch.logFile)}`
    for (const listener of listeners) listener(text)
  }
  const ended = watch()
  const end = async (name: 'SIGTERM' | 'SIGKILL') => {
    isWatched = false
    if (how === undefined) await signal(name)
    await ended
  }
  try {
    await untilReady(launch, () => how)
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
  isWatched = true
  return { pid, hasExited: () => how !== undefined, end }
}

/** @throws StackError if the server exits, with the cause from its log, or is not ready in time */
async function untilReady({ title, isReady, logFile }: Launch, ended: () => string | undefined): Promise<void> {
  const deadline = Date.now() + readyMS
  let last: unknown
  while (Date.now() < deadline) {
    const how = ended()
    if (how !== undefined) throw new StackError(`${title} ${how}: ${lastCause(logFile)} (${logFile})`)
    try {
      await isReady()
      return
    } catch (error) {
      last = error
      await sleep(20)
    }
  }
  throw new StackError(`${title} was not ready within ${readyMS / 1_000} s (${logFile})`, { cause: last })
}

/** The last error line of a server's log, or the last line. Servers log further lines while they exit. */
export function lastCause(logFile: string): string {
  const lines = readLog(logFile).slice(-200)
  // Matches, in order, mongod, nats-server and redis-server.
  const cause = lines.findLast((line) => /"s":"[FE]"|\[(?:FTL|ERR)\]|panic:|# .*(?:rror|Fatal|Can't)/.test(line))
  const text = (cause ?? lines.at(-1) ?? '').slice(0, 300)
  const isFull = lines.some((line) => noSpace.test(line)) || hasNoSpace(dirname(logFile))
  return isFull && !noSpace.test(text) ? `no space left on the disk: ${text}` : text
}

const noSpace = /no space left on device/i
/** The reserve that a server needs to start. */
const startBytes = 16 * 1_024 * 1_024

/** A full disk also takes no line of a log. */
function hasNoSpace(folder: string): boolean {
  if (!existsSync(folder)) return false
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize < startBytes
}
