import { parseArgs } from 'node:util'
import closeWithGrace from 'close-with-grace'
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
import type { sharedSettings } from './shared-settings.ts'
import { type Tracing, withoutTracing } from './trace.ts'
import { version } from './version.ts'

/** Stops one thing that the start began. `deadline` aborts when the drain time is over; the rest is cut off. */
type Stop = (deadline: AbortSignal) => unknown

/** The argument of a service's start function. */
export interface Context<S> {
  /** The name of the service. */
  service: string
  settings: S
  log: Logger
  metrics: Metrics
  tracing: Tracing
  /** `/readyz` asks these, by the dependency's name. */
  checks: Record<string, Dependency>
  /** Registers the stop of something just started. Stops run one after the other, in reverse order. */
  onStop: (name: string, stop: Stop) => void
  /** Aborts when the service begins to stop, before the first stop runs: for everything that runs in the background. */
  signal: AbortSignal
}

/** The message of a service to its parent process, over IPC if the parent opened a channel. */
export type Report = { ready: { ports: Record<string, number> } } | { failed: string }

/** How long after the drain time a stop that hangs is given before the process ends anyway. */
const graceMS = 2_000

/** How long an ending process waits for a reader of its log. */
const flushLogMS = 500

/**
 * Runs a service to its end: the one call of each `main.ts`. Reads the settings (a wrong one: one sentence, exit code
 * 1), makes log, metrics and the internal server, calls `start`, and is ready when that resolves. SIGTERM, SIGINT, an
 * uncaught error or the death of a parent with an IPC channel stop it: unready at once, then the stops in reverse order
 * under one deadline. The exit code is 0 after an orderly stop, 1 after any failure. `--settings` prints all settings, `--version` the release.
 *
 * @param start begins everything and returns the ports it listens on, by name
 */
export async function runService<D extends typeof sharedSettings & SettingsDefinition>(
  { name, settings: definition }: { name: string; settings: D },
  start: (context: Context<SettingsOf<D>>) => Promise<{ ports?: Record<string, number> }>,
): Promise<void> {
  const asked = answerFlags(definition)
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
    const internal = await startInternalServer({ ...shared.internal, metrics, checks, state: () => state })
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
    if (stopping.signal.aborted) return log.warn({ err }, 'stopped during the start')
    log.fatal({ err }, 'did not start')
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

/** @throws after all were tried, when one failed */
async function stopInReverse(stops: readonly { name: string; stop: Stop }[], drainMS: number, log: Logger) {
  const deadline = AbortSignal.timeout(drainMS)
  const failed: string[] = []
  for (const { name: part, stop } of stops.toReversed()) {
    try {
      await stop(deadline)
    } catch (err) {
      log.error({ err, part }, 'did not stop in order')
      failed.push(part)
    }
  }
  if (failed.length > 0) throw new Error(`did not stop in order: ${failed.join(', ')}`)
}

/** The text that `--version` or `--settings` asks for. */
function answerFlags(definition: SettingsDefinition): string | undefined {
  const { values } = parseArgs({ options: { settings: { type: 'boolean' }, version: { type: 'boolean' } } })
  if (values.version) return version
  return values.settings ? settingsTable(definition) : undefined
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
  // Its 200 modules are a quarter of a small service's start.
  const { createTracing } = await import('./open-telemetry.ts')
  const onError = (error: Error) => log.warn({ err: error }, 'traces not delivered')
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

/** Reports to the parent process, if it listens. Ignores a parent that is gone: its death stops the service anyway. */
function report(message: Report): Promise<void> {
  return new Promise((resolve) => {
    if (process.send && process.connected) process.send(message, undefined, undefined, () => resolve())
    else resolve()
  })
}
