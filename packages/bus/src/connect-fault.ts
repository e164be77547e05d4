import { TimeoutError } from '@nats-io/nats-core'
import { firstAnswer } from '@parley/async/first-answer'
import { isUnreachable } from '@parley/async/unreachable'

/** The server has no room for another connection. It may have later. */
export class ServerFull extends Error {
  override name = 'ServerFull'
}

/**
 * The error that keeps Parley from NATS until an operator acts, such as a refused certificate; undefined if NATS is only
 * away: no server was found, or one that hangs. A server that misses our client certificate sends its greeting but
 * nothing after TLS began, so a greeting rules out a hanging server.
 */
export async function connectFault(
  error: unknown,
  { tls, servers }: { tls?: unknown; servers: readonly string[] },
): Promise<unknown> {
  if (isUnreachable(error)) return undefined
  if (error instanceof Error && tooMany.test(error.message)) return fullServer(error.message, error)
  const isCutOff = !tls && isCut(error)
  if (!isTimeout(error) && !isCutOff) return error
  const answers = await Promise.all(servers.map(async (server) => ({ server, text: await firstLine(server) })))
  for (const { server, text } of answers) {
    if (text === undefined) continue
    const [refusal] = tooMany.exec(text) ?? []
    if (refusal !== undefined) return fullServer(refusal, error)
    if (text.startsWith('INFO ')) continue
    const does = text === '' ? 'closes the connection' : `answers ${JSON.stringify(text)}`
    return new Error(`${server} is not a NATS server: it ${does}`, { cause: error })
  }
  if (isCutOff) {
    const hint = 'its log says why, such as a limit of the account'
    return new ServerFull(`the server closes the connection: ${hint}`, { cause: error })
  }
  return tls && answers.some(({ text }) => text !== undefined) ? error : undefined
}

/** The message of a server, or of an account. */
const tooMany = /maximum (account active )?connections exceeded/i
const fullServer = (message: string, cause: unknown) =>
  new ServerFull(`${message}: raise max_connections of NATS or its account`, { cause })

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error instanceof TimeoutError || isTimeout(error.cause))

const isCut = (error: unknown): boolean =>
  error instanceof Error && ['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')

const answersWithinMS = 1_000
const shownCharacters = 40
/** MongoDB reads 16 bytes before it closes the connection. */
const unknownLines = 'PING\r\n'.repeat(3)

/**
 * The first line that a server sends: NATS sends INFO at once (docs.nats.io/reference/reference-protocols/nats-protocol),
 * others respond to unknown lines. Empty if it closes the connection instead; undefined without a response.
 */
async function firstLine(server: string): Promise<string | undefined> {
  const { hostname, port } = new URL(`nats://${server}`)
  const { text, end } = await firstAnswer(
    { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 4222) },
    // An error may follow INFO.
    { waitMS: answersWithinMS, send: unknownLines, isComplete: (received) => !received.startsWith('INFO ') },
  )
  if (end === 'complete') return text.split('\r\n')[0]?.slice(0, shownCharacters)
  return text === '' && end !== 'closed' ? undefined : text
}
