import { parseArgs } from 'node:util'
import closeWithGrace from 'close-with-grace'
import { explain } from './explain.ts'
import { type Dependency, startInternalServer, watchDependencies } from './health.ts'
import { createLog, type Logger } from './log.ts'
import { type LogOutput, openLogOutput } from './log-output.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import {
  readSettings,
  type SettingsDefinition,
  SettingsError,
  type SettingsOf,
  settingsTable,
  unknownVariables,
} from './settings.ts'
import { sharedSettings } from './shared-settings.ts'
import { type Tracing, withoutTracing } from './trace.ts'
import { version } from './version.ts'

/** Stops one started part. `deadline` aborts when the drain time is over; remaining work is cut off. */
type Stop = (deadline: AbortSignal) => unknown

/** The argument of a service's start function. */
export interface Context<S> {
  /** The name of the service. */
  service: string
  settings: S
  log: Logger
  metrics: Metrics
  tracing: Tracing
  /** Checks for `/readyz`, by dependency name. */
  checks: Record<string, Dependency>
  /** Registers a function that stops a started part. They run sequentially, in reverse order. */
  onStop: (name: string, stop: Stop) => void
  /** Aborts when the service begins to stop, before the first stop function runs. For background work. */
  signal: AbortSignal
}

/** A service's message to its parent process, if there is an IPC channel. */
export type Report = { ready: { ports: Record<string, number> } } | { failed: string }

/** How long after the drain time the process exits even if a stop function hangs. */
const graceMS = 2_000

/** How long an exiting process waits for its log to be read. */
const flushLogMS = 500

/**
 * Runs a service until it exits; the only call of each `main.ts`. Reads the settings (an invalid one is reported in one
 * sentence, with exit code 1), creates log, metrics and the internal server, and calls `start`. The service is ready
 * when `start` resolves.
 *
 * SIGTERM, SIGINT, an uncaught error or the death of a parent with an IPC channel stop the service: it is unready at
 * once, then the stop functions run in reverse order under one deadline. The exit code is 0 after a clean stop, and 1
 * after any failure. `--settings` prints all settings, `--version` the release, `--help` both flags.
 *
 * @param start starts everything and returns the ports that it listens on, by name
 */
export async function runService<D extends typeof sharedSettings & SettingsDefinition>(
  { name, settings: definition }: { name: string; settings: D },
  start: (context: Context<SettingsOf<D>>) => Promise<{ ports?: Record<string, number> }>,
): Promise<void> {
  const asked = answerFlags(name, definition)
  if (asked !== undefined) {
    console.log(asked)
    return
  }
  const settings = await settingsOrExit(name, definition)
  const shared = settings as SettingsOf<typeof sharedSettings>
  const metrics = createMetrics(name)
  metrics.gauge('parley_build_info', 'The release, as a label', ['version']).set({ version }, 1)
  const { log, output } = openLog(name, shared, metrics)
  for (const variable of unknownVariables(definition, process.env)) {
    log.warn({ variable }, 'unknown setting: no service reads this variable')
  }

  const checks: Record<string, Dependency> = {}
  const stops: { name: string; stop: Stop }[] = []
  const tracing = await startTracing(name, shared, log)
  stops.push({ name: 'tracing', stop: () => tracing.stop() })
  watchDependencies(metrics, checks)
  const stopping = new AbortController()
  let state: 'starting' | 'running' | 'stopping' = 'starting'

  const stopAll = async () => {
    state = 'stopping'
    stopping.abort()
    await stopInReverse(stops, shared.drainMS, log)
  }
  const grace = closeWithGrace(
    { delay: shared.drainMS + graceMS, logger: { error: (message) => log.error(message) } },
    async ({ signal, err }) => {
      if (err) log.fatal({ err }, 'uncaught error, stopping')
      else log.info({ reason: signal ?? 'the parent process is gone' }, 'stopping')
      try {
        await stopAll()
        log.info('stopped')
      } finally {
        await output.flushed(flushLogMS)
      }
    },
  )
  process.once('disconnect', () => grace.close())

  try {
    const serving = startInternalServer({ ...shared.internal, metrics, checks, state: () => state })
    const internal = await explain('metrics and health', Object.values(sharedSettings.internal), serving)
    stops.push({ name: 'internal server', stop: () => internal.close() })
    const onStop = (part: string, stop: Stop) => void stops.push({ name: part, stop })
    const { ports = {} } = await start({
      service: name,
      settings,
      log,
      metrics,
      tracing,
      checks,
      onStop,
      signal: stopping.signal,
    })
    if (stopping.signal.aborted) return
    state = 'running'
    const ready = { ports: { ...ports, internal: internal.port } }
    log.info({ ...ready, version }, 'ready')
    await report({ ready })
  } catch (err) {
    if (stopping.signal.aborted) return log.warn({ err }, 'stopped during startup')
    log.fatal(err instanceof SettingsError ? { reason: err.message } : { err }, 'did not start')
    grace.uninstall()
    setTimeout(() => process.exit(1), shared.drainMS + graceMS).unref()
    await report({ failed: err instanceof Error ? err.message : String(err) })
    try {
      await stopAll()
    } finally {
      await output.flushed(flushLogMS)
      process.exit(1)
    }
  }
}

/** @throws if a stop function failed, after running all of them */
async function stopInReverse(stops: readonly { name: string; stop: Stop }[], drainMS: number, log: Logger) {
  const deadline = AbortSignal.timeout(drainMS)
  const failed: string[] = []
  for (const { name: part, stop } of stops.toReversed()) {
    try {
      await stop(deadline)
    } catch (err) {
      log.error({ err, part }, 'did not stop cleanly')
      failed.push(part)
    }
  }
  if (failed.length > 0) throw new Error(`did not stop cleanly: ${failed.join(', ')}`)
}

const flags = { help: { type: 'boolean' }, settings: { type: 'boolean' }, version: { type: 'boolean' } } as const

/** The output of `--help`, `--settings` or `--version`; undefined without flags. Exits with code 1 if it takes no such flag. */
function answerFlags(name: string, definition: SettingsDefinition): string | undefined {
  const usage = `Usage: ${name} [--help | --settings | --version]. Its settings are environment variables: --settings lists them.`
  try {
    const { values } = parseArgs({ options: flags })
    if (values.help) return usage
    if (values.version) return version
    return values.settings ? settingsTable(definition) : undefined
  } catch (error) {
    console.error(`${name}: ${(error as Error).message.replace(/\. .*/s, '')}. ${usage}`)
    return process.exit(1)
  }
}

function openLog(
  service: string,
  { nodeId: node, logLevel: level }: SettingsOf<typeof sharedSettings>,
  metrics: Metrics,
): { log: Logger; output: LogOutput } {
  const dropped = metrics.counter('parley_log_lines_dropped_total', 'Log lines that standard output did not take', [])
  const output = openLogOutput(
    () => dropped.inc({}),
    (lines) => log.warn({ lines }, 'log lines dropped'),
  )
  const log: Logger = createLog({ service, node, level }, output)
  return { log, output }
}

async function startTracing(service: string, shared: SettingsOf<typeof sharedSettings>, log: Logger): Promise<Tracing> {
  const { endpoint, ratio, attributes, serviceName = `parley-${service}` } = shared.trace
  if (endpoint === undefined) return withoutTracing()
  // Loaded on demand: its 200 modules take a quarter of a small service's startup time.
  const { createTracing } = await import('./open-telemetry.ts')
  const onError = (error: Error) => log.warn({ err: error }, 'traces not exported')
  return createTracing({ service: serviceName, node: shared.nodeId, endpoint, ratio, attributes, onError })
}

async function settingsOrExit<D extends SettingsDefinition>(name: string, definition: D): Promise<SettingsOf<D>> {
  try {
    return readSettings(definition, process.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    console.error(`${name}: ${error.message}`)
    await report({ failed: error.message })
    return process.exit(1)
  }
}

/** Reports to the parent process, if it is connected. A dead parent is ignored: its death stops the service anyway. */
function report(message: Report): Promise<void> {
  return new Promise((resolve) => {
    if (process.send && process.connected) process.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}
