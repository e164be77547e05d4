import { type ChildProcess, fork } from 'node:child_process'
import { closeSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Report } from '@parley/service/lifecycle'
import { diesWithUs } from '@parley/stack/dies-with-us'
import { openLog, readLog } from '@parley/stack/server-log'
import { StackError } from '@parley/stack/stack-error'

export interface ServiceProcess {
  /** For example realtime-2; also the node ID. */
  name: string
  pid: number
  /** The reported ports: `http` of the public API, if any, and `internal` for metrics and health. */
  ports: Record<string, number>
  /** Sends SIGTERM, then SIGKILL after a timeout; resolves when the process has exited. */
  stop(): Promise<void>
}

const checkout = join(import.meta.dirname, '../..')
const readyMS = 60_000
/**
 * The garbage of a request dies young. With Node's default of 16 MiB, collecting it takes a twelfth of a busy gateway's
 * time. Other services produce little garbage and stay small.
 */
const ofGateway = ['--max-semi-space-size=64']
const nodeFlags: Record<string, string[]> = { 'api-gateway': ofGateway, 'all-in-one': ofGateway }
/** Longer than a service's own shutdown (PARLEY_DRAIN_MS plus 2 s). */
const stopMS = 30_000

/**
 * Starts a service and waits for its ready report. The service runs in its own session, so that a terminal's Ctrl-C reaches
 * only this process. It is killed when this process ends for any reason.
 *
 * @param service the folder under services/; runs its TypeScript, or in tests the build in PARLEY_TEST_BUILD
 * @param root the checkout to start from, by default this one
 * @param onExit called with a sentence when the service exits unexpectedly after it was ready
 * @throws StackError with one sentence when the service exits or is not ready in time
 */
export async function startService(
  {
    service,
    name,
    logFile,
    env,
    root = checkout,
  }: { service: string; name: string; logFile: string; env: NodeJS.ProcessEnv; root?: string },
  onExit: (sentence: string) => void,
): Promise<ServiceProcess> {
  mkdirSync(dirname(logFile), { recursive: true })
  const log = openLog(logFile)
  const build = root === checkout ? process.env['PARLEY_TEST_BUILD'] : undefined
  const main = build === undefined ? join(root, 'services', service, 'src/main.ts') : join(build, `${service}.js`)
  const [execPath, execArgv] = diesWithUs('KILL', process.execPath, nodeFlags[service] ?? [])
  const stdio: ['ignore', number, number, 'ipc'] = ['ignore', log, log, 'ipc']
  const defaults = {
    // As in deploy/Dockerfile.
    UV_THREADPOOL_SIZE: '64',
    // Coverage is less precise with the compile cache.
    ...(!env['NODE_V8_COVERAGE'] && {
      NODE_COMPILE_CACHE: build === undefined ? join(root, '.parley/compiled') : join(build, 'compiled'),
    }),
  }
  const child = fork(main, [], { execPath, execArgv, env: { ...defaults, ...env }, stdio, detached: true })
  closeSync(log)

  let isWanted = false
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`could not be started: ${error.message}`))
    child.once('exit', (code, signal) => resolve(signal ? `was ended by ${signal}` : `stopped with exit code ${code}`))
  })
  const stop = async () => {
    isWanted = true
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMS)
    await exited
    clearTimeout(timer)
  }

  try {
    const ports = await readyReport(name, child, exited, logFile)
    void exited.then((how) => {
      if (!isWanted) onExit(`${name} ${how}${lastError(logFile)} (log: ${logFile}).`)
      return how
    })
    return { name, pid: child.pid ?? 0, ports, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function readyReport(name: string, child: ChildProcess, exited: Promise<string>, logFile: string) {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, number>>()
  const timer = setTimeout(() => {
    reject(new StackError(`${name} was not ready within ${readyMS / 1_000} s (log: ${logFile}).`))
  }, readyMS)
  let failure: string | undefined
  child.on('message', (report: Report) => {
    if ('ready' in report) resolve(report.ready.ports)
    else failure = report.failed
  })
  void exited.then((how) => {
    reject(new StackError(`${name} ${how}${failure ? `: ${failure}` : lastError(logFile)} (log: ${logFile}).`))
    return how
  })
  return promise.finally(() => clearTimeout(timer))
}

/** The cause of a service's exit, to append to a sentence: its fatal log line or Node's error. Empty if it logged neither. */
function lastError(logFile: string): string {
  const line =
    readLog(logFile).findLast((candidate) => /^(?:\w*Error\b|FATAL ERROR)|^\{"level":60,/.test(candidate)) ?? ''
  const message =
    /"err":\{.*?"message":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? /"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1]
  return line === '' ? '' : `: ${message ?? line}`
}
