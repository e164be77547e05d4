import { asParleyError, errorOf, ParleyError } from '../parley-error.ts'
import { inTime } from '../pauses.ts'

export interface HttpOptions {
  /** The base URL, without a trailing slash. */
  url: string
  /** Sent with every call. */
  headers: () => Record<string, string>
  timeoutMS: number
}

export interface CallOptions {
  headers?: Record<string, string>
  signal?: AbortSignal
  /** How long this call waits for its response. */
  timeoutMS?: number
}

type Input = Record<string, unknown>

/**
 * Calls an operation.
 * @param route method and path, with `:name` for path parameters. The rest of the input goes into the query for GET or
 *   with a trailing `?`, otherwise into the body.
 * @returns the `result` of the envelope, or the whole body of a bare response
 * @throws ParleyError
 */
export async function httpCall(
  { url, headers, timeoutMS }: HttpOptions,
  route: string,
  input: Input = {},
  options: CallOptions = {},
): Promise<unknown> {
  const { method, target, body } = requestOf(route, input)
  const end = new AbortController()
  const abort = () => end.abort(options.signal?.reason)
  if (options.signal?.aborted) abort()
  options.signal?.addEventListener('abort', abort, { once: true })
  try {
    const call = async () =>
      resultOf(
        await fetch(url + target, {
          method,
          signal: end.signal,
          headers: {
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...headers(),
            ...options.headers,
          },
          ...(body !== undefined && { body }),
        }),
      )
    return await inTime(call, options.timeoutMS ?? timeoutMS)
  } catch (error) {
    throw asParleyError(error)
  } finally {
    abort()
    options.signal?.removeEventListener('abort', abort)
  }
}

function requestOf(route: string, input: Input): { method: string; target: string; body?: string } {
  const [method = '', path = ''] = route.split(' ')
  const rest = { ...input }
  const target = path.replace(/\?$/, '').replaceAll(/:(\w+)/g, (_, name: string) => {
    delete rest[name]
    return encodeURIComponent(String(input[name]))
  })
  if (method !== 'GET' && !path.endsWith('?')) return { method, target, body: JSON.stringify(rest) }
  const given = Object.entries(rest).filter(([, value]) => value !== undefined)
  const query = String(new URLSearchParams(given as [string, string][]))
  return { method, target: query ? `${target}?${query}` : target }
}

async function resultOf(response: Response): Promise<unknown> {
  const text = await response.text()
  const body = parse(text)
  if (!response.ok) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw errorOf(response.status, body, Number.isNaN(seconds) ? undefined : seconds * 1000)
  }
  if (body === undefined) throw new ParleyError('NETWORK_ERROR', 'the response is not JSON', response.status)
  return typeof body === 'object' && body !== null && 'RC' in body ? (body as { result?: unknown }).result : body
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Percent-encodes a header value with non-ASCII text (docs/reference/README.md#authentication). */
export const headerValue = (value: string): string => (/^[ -~]*$/.test(value) ? value : encodeURIComponent(value))
