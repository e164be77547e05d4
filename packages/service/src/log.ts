import { type DestinationStream, type Logger, pino } from 'pino'
import { traced } from './trace.ts'

export type { Logger }

/** Field names that never reach a log. */
const secrets = [
  'im-api-key',
  'im-authorization',
  'im-client-key',
  'authorization',
  'cookie',
  'set-cookie',
  'token',
  'apiKey',
  'clientKey',
  'password',
  'secret',
]

/** Paths where secrets may appear. Listed explicitly, since wildcards make logging ten times slower. */
const places = [
  '',
  'headers',
  'req.headers',
  'request.headers',
  'req.body',
  'body',
  'query',
  'payload',
  'user',
  'err',
  'settings',
]

/**
 * Creates a logger that writes one JSON line per event, with secrets replaced by "[Redacted]". Pass an error as `err`.
 * If `request` is the ID of a traced request, the line also has its `trace_id` and `span_id`.
 *
 * @param destination standard output by default
 */
export function createLog(
  { service, node, level }: { service: string; node: string; level: string },
  // Synchronous for commands, which exit without waiting for their log. Services use log-output.ts.
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Logger {
  const paths = places.flatMap((place) => secrets.map((secret) => `${place}["${secret}"]`))
  // Arguments of a Redis command: AUTH has the password.
  paths.push('err.command.args')
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: { service, node }, redact: paths, timestamp, mixin: traceOf }, destination)
}

/** Field names as specified by OpenTelemetry for non-OTLP logs. A new object each time, since pino adds to it. */
function traceOf({ request }: { request?: unknown }): object {
  if (typeof request !== 'string') return {}
  const [, traceId, spanId] = traced.exec(request) ?? []
  return traceId === undefined ? {} : { trace_id: traceId, span_id: spanId }
}
