import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerLocation } from './locate.ts'
import { StackError } from './stack-error.ts'

/** A server that we run, as a process or in a container. */
export interface RunningServer {
  /** Of the server itself, as this machine's kernel counts; undefined when it does not run. */
  readonly pid: number | undefined
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>
  /** Starts again after kill or stop, on the same port and data; resolves when it is ready. */
  restart(): Promise<void>
  /** Ends it in order (SIGTERM, after 10 s SIGKILL); resolves when the process is gone. */
  stop(): Promise<void>
  /** Called when the server ends without kill or stop, with the cause as the end of a sentence. */
  onExit(listener: (how: string) => void): void
}

/** The start of a server, the same in Docker and as a program. */
export interface Launch {
  title: string
  place: Exclude<ServerLocation, { way: 'url' }>
  port: number
  /** The data directory, kept between starts. */
  dir: string
  logFile: string
  /** Whether this process goes on for as long as the server runs. */
  keepsAlive: boolean
  /** Into how many parts it is divided that do not see each other; 0: it is not. */
  tenants: number
  /** The server's arguments, given the address to bind to and the data directory as the program sees it. */
  args: (bind: string, dir: string) => string[]
  /** Variables beside those of this process; not of a container. */
  env?: NodeJS.ProcessEnv
  /** Resolves when the server does its work; tried again while it rejects. */
  isReady: () => Promise<unknown>
}

/** The part of a launch that does not depend on the kind of server. */
export type LaunchPlace = Pick<Launch, 'place' | 'port' | 'dir' | 'logFile' | 'keepsAlive' | 'tenants'>

/** One run of a server, from its start to its end. */
export interface ServerRun {
  pid: number
  hasExited: () => boolean
  /** Resolves when it is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** How long a server may take until it is ready. */
export const readyMS = 60_000
/** How long after SIGTERM it is killed. */
export const stopMS = 10_000

/**
 * Starts a server and waits until it is ready.
 *
 * @param runOnce begins one run; it calls the listeners when the run ends unasked
 */
export async function startServer(
  title: string,
  runOnce: (listeners: readonly ((how: string) => void)[]) => Promise<ServerRun>,
): Promise<RunningServer> {
  const listeners: ((how: string) => void)[] = []
  let current = await runOnce(listeners)
  return {
    get pid() {
      return current.hasExited() ? undefined : current.pid
    },
    kill: () => current.end('SIGKILL'),
    stop: () => current.end('SIGTERM'),
    async restart() {
      if (!current.hasExited()) throw new Error(`${title} still runs`)
      current = await runOnce(listeners)
    },
    onExit: (listener) => void listeners.push(listener),
  }
}

/** @throws StackError when the server ends or is not ready in time, with the last line of its log */
export async function untilReady({ title, isReady, logFile }: Launch, ended: () => string | undefined): Promise<void> {
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

/** The last line of a server's log that reports an error, else its last line: a server goes on logging while it ends. */
export function lastCause(logFile: string): string {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-200)
  // mongod, nats-server, redis-server, in this order.
  const cause = lines.findLast((line) => /"s":"[FE]"|\[(?:FTL|ERR)\]|panic:|# .*(?:rror|Fatal|Can't)/.test(line))
  return (cause ?? lines.at(-1) ?? '').slice(0, 300)
}
