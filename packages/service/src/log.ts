import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** What is never written to a log, wherever it stands in what is logged, up to three objects deep. */
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

/**
 * A logger that writes one JSON line per thing that happened, with secrets replaced by "[Redacted]".
 * Errors are logged as `log.error({ err }, 'what failed')`.
 *
 * @param destination where lines go, standard output when left out
 */
export function createLog(
  { service, node, level }: { service: string; node: string; level: string },
  destination?: DestinationStream,
): Logger {
  const paths = secrets.flatMap((name) => {
    const key = `["${name}"]`
    return [key, `*${key}`, `*.*${key}`, `*.*.*${key}`]
  })
  return pino({ level, base: { service, node }, redact: paths, timestamp: pino.stdTimeFunctions.isoTime }, destination)
}
