import { type DestinationStream, type Logger, pino } from 'pino'

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
 * A logger that writes one JSON line per event, with secrets replaced by "[Redacted]". An error goes into the field `err`.
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
  return pino({ level, base: { service, node }, redact: paths, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}
