import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'
import { diesWithUs } from './dies-with-us.ts'
import { type Launch, type RunningServer, type ServerRun, startServer, stopMS } from './launch.ts'
import { openLog } from './server-log.ts'

/**
 * Starts a server as a process, in its own session, so that a terminal's Ctrl-C does not reach it. It dies with this
 * process, even on SIGKILL (on Linux, by the parent-death signal).
 *
 * @throws StackError if the server exits or is not ready in time
 */
export function startProcess(launch: Launch, program: string): Promise<RunningServer> {
  return startServer(launch, async () => runProcess(launch, program))
}

function runProcess(launch: Launch, program: string): ServerRun {
  const log = openLog(launch.logFile)
  const [command, args] = diesWithUs('KILL', program, launch.args('127.0.0.1', launch.dir))
  const env = { ...process.env, ...launch.env }
  const child = spawn(command, args, { stdio: ['ignore', log, log], detached: true, env })
  closeSync(log)
  if (!launch.keepsAlive) child.unref()

  let timer: NodeJS.Timeout | undefined
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
    child.once('exit', (code, signal) => {
      clearTimeout(timer)
      resolve(signal ? `was ended by ${signal}` : `stopped with exit code ${code}`)
    })
  })
  return {
    pid: child.pid ?? 0,
    exited,
    signal(signal) {
      if (child.pid === undefined) return
      process.kill(child.pid, signal)
      child.ref()
      timer = setTimeout(() => child.kill('SIGKILL'), stopMS)
    },
  }
}
