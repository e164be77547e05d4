import { execFileSync, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { diesWithUs } from './dies-with-us.ts'
import type { Place } from './locate.ts'
import { StackError } from './stack-error.ts'

/** A server that runs as a process of ours. */
export interface ServerProcess {
  /** Of the server itself; in Docker, of the docker program. Undefined when it does not run. */
  readonly pid: number | undefined
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>
  /** Starts again after kill or stop, on the same port and data; resolves when it answers. */
  restart(): Promise<void>
  /** Ends it in order (SIGTERM, after 10 s SIGKILL); resolves when the process is gone. */
  stop(): Promise<void>
  /** Called when it ends though nobody called kill or stop, with what happened as the end of a sentence. */
  onExit(listener: (how: string) => void): void
}

/** What a server needs to be started: the same in Docker and as a program. */
export interface Launch {
  title: string
  place: Exclude<Place, { way: 'url' }>
  port: number
  /** The data directory, kept between starts. */
  dir: string
  logFile: string
  /** Whether this process goes on for as long as the server runs. */
  keepsAlive: boolean
  /** The program's arguments, given the address to bind to and the data directory as the program sees it. */
  args: (bind: string, dir: string) => string[]
  /** Resolves when the server does its work; tried again while it rejects. */
  isReady: () => Promise<unknown>
}

/** What is known of a launch before the kind of server is. */
export type LaunchPlace = Pick<Launch, 'place' | 'port' | 'dir' | 'logFile' | 'keepsAlive'>

const readyMs = 60_000
const stopMs = 10_000

/**
 * Starts a server and waits until it is ready. It runs in a session of its own (a terminal's Ctrl-C does not reach it)
 * and dies with this process, even when that is killed by SIGKILL (on Linux, by the parent-death signal).
 *
 * @throws StackError when it ends or is not ready in time, with the last line of its log
 */
export async function startProcess(launch: Launch): Promise<ServerProcess> {
  const listeners: ((how: string) => void)[] = []
  let current = await launchOnce(launch, listeners)
  return {
    get pid() {
      return current.hasExited() ? undefined : current.pid
    },
    kill: () => current.end('SIGKILL'),
    stop: () => current.end('SIGTERM'),
    async restart() {
      if (!current.hasExited()) throw new Error(`${launch.title} still runs`)
      current = await launchOnce(launch, listeners)
    },
    onExit: (listener) => void listeners.push(listener),
  }
}

async function launchOnce(launch: Launch, listeners: ((how: string) => void)[]) {
  const { title, logFile, port } = launch
  mkdirSync(launch.dir, { recursive: true })
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openSync(logFile, 'w')
  const container = `parley-${title.toLowerCase()}-${port}`
  const child = spawn(...command(launch, container), { stdio: ['ignore', log, log], detached: true })
  closeSync(log)
  if (!launch.keepsAlive) child.unref()

  let how: string | undefined
  let isWanted = false
  const exited = new Promise<void>((resolve) => {
    const onEnd = (what: string) => {
      how ??= what
      resolve()
    }
    child.once('error', (error) => onEnd(`could not be started: ${error.message}`))
    child.once('exit', (code, signal) => onEnd(signal ? `was ended by ${signal}` : `stopped with exit code ${code}`))
  })

  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    isWanted = true
    if (how !== undefined || child.pid === undefined) return
    // A signal that cannot be caught would end only the docker program, and leave the container.
    if (signal === 'SIGKILL' && launch.place.way === 'docker') execFileSync('docker', ['kill', container])
    else process.kill(child.pid, signal)
    child.ref()
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await exited
    clearTimeout(timer)
  }

  try {
    await untilReady(launch, () => how)
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
  child.once('exit', () => {
    if (!isWanted) for (const listener of listeners) listener(`${how}: ${lastLine(logFile)}`)
  })
  return { pid: child.pid, hasExited: () => how !== undefined, end }
}

async function untilReady({ title, isReady, logFile }: Launch, ended: () => string | undefined): Promise<void> {
  const deadline = Date.now() + readyMs
  let last: unknown
  while (Date.now() < deadline) {
    const how = ended()
    if (how !== undefined) throw new StackError(`${title} ${how}: ${lastLine(logFile)} (${logFile})`)
    try {
      await isReady()
      return
    } catch (error) {
      last = error
      await sleep(20)
    }
  }
  throw new StackError(`${title} was not ready within ${readyMs / 1_000} s (${logFile})`, { cause: last })
}

function command(launch: Launch, container: string): [string, string[]] {
  const { place, port, dir, args } = launch
  if (place.way === 'program') return diesWithUs('KILL', place.program, args('127.0.0.1', dir))
  // The docker program passes SIGTERM on to the container and ends with it.
  const publish = ['--publish', `127.0.0.1:${port}:${port}`, '--volume', `${dir}:/data`]
  const user = ['--user', `${process.getuid?.() ?? 0}:${process.getgid?.() ?? 0}`]
  const run = ['run', '--rm', '--name', container, ...publish, ...user, place.image, ...args('0.0.0.0', '/data')]
  return diesWithUs('TERM', 'docker', run)
}

function lastLine(logFile: string): string {
  return readFileSync(logFile, 'utf8').trim().split('\n').at(-1)?.slice(0, 300) ?? ''
}
