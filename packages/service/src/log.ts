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

/** Paths where secrets may appear. Listed by name: wildcards make a log line ten times as slow. */
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
 * A logger that writes one JSON line per event, with secrets replaced by "[Redacted]". An error goes into the field `err`. A line
 * about a traced request, which `request` names, has its `trace_id` and `span_id` too.
 *
 * @param destination standard output by default
 */
export function createLog(
  { service, node, level }: { service: string; node: string; level: string },
  // A command writes at once: it ends without waiting for its lines. Services use log-output.ts.
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Logger {
  const paths = places.flatMap((place) => secrets.map((secret) => `${place}["${secret}"]`))
  // The arguments of a command of Redis: its login holds the password.
  paths.push('err.command.args')
  const timestamp = pino.stdTimeFunctions.isoTime
  return pino({ level, base: { service, node }, redact: paths, timestamp, mixin: traceOf }, destination)
}

const untraced = {}

/** The names that OpenTelemetry gives them in logs that are no OTLP. */
function traceOf({ request }: { request?: unknown }): object {
  if (typeof request !== 'string') return untraced
  const [, traceId, spanId] = traced.exec(request) ?? []
  return traceId === undefined ? untraced : { trace_id: traceId, span_id: spanId }
}
