import { spawn } from 'node:child_process'
import { closeSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { diesWithUs } from './dies-with-us.ts'
import {
  type Launch,
  lastCause,
  type RunningServer,
  type ServerRun,
  startServer,
  stopMS,
  untilReady,
} from './launch.ts'
import { openLog } from './server-log.ts'

/**
 * Starts a server as a process, in its own session, so that a terminal's Ctrl-C does not reach it. It dies with this
 * process, even on SIGKILL (on Linux, by the parent-death signal).
 *
 * @throws StackError if the server exits or is not ready in time
 */
export function startProcess(launch: Launch, program: string): Promise<RunningServer> {
  return startServer(launch.title, (listeners) => runProcess(launch, program, listeners))
}

async function runProcess(
  launch: Launch,
  program: string,
  listeners: readonly ((how: string) => void)[],
): Promise<ServerRun> {
  const { logFile, dir, keepsAlive } = launch
  mkdirSync(dir, { recursive: true })
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openLog(logFile)
  const [command, args] = diesWithUs('KILL', program, launch.args('127.0.0.1', dir))
  const env = { ...process.env, ...launch.env }
  const child = spawn(command, args, { stdio: ['ignore', log, log], detached: true, env })
  closeSync(log)
  if (!keepsAlive) child.unref()

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
    process.kill(child.pid, signal)
    child.ref()
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMS)
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
    if (!isWanted)
      for (const listener of listeners) listener(how === 'was ended by SIGKILL' ? how : `${how}: ${lastCause(logFile)}`)
  })
  return { pid: child.pid ?? 0, hasExited: () => how !== undefined, end }
}
