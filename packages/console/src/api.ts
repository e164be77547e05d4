import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { paths } from '../generated/openapi.ts'
import { isUnattended } from './attendance.ts'

export type Api = Client<paths>

/** The base URL of Parley. A proxy may serve it under any path. */
export const baseUrl: string = new URL('../..', import.meta.url).href.replace(/\/$/, '')

/** Time for a response with its body. The longest call waits 20 s for events. */
const answerMS = 30_000

/** A refused or failed call. `code` is one of docs/errors.md, or, with status 0, one of `unanswered`. */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  /** The response's Retry-After. */
  readonly retryAfterS: number | undefined
  constructor(status: number, code: string, message: string, headers?: Headers) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = headers?.get('x-request-id') ?? undefined
    this.retryAfterS = Number(headers?.get('retry-after')) || undefined
  }
}

/** Ends a request without a response in time. */
export const withDeadline = (signal?: AbortSignal): AbortSignal =>
  AbortSignal.any([AbortSignal.timeout(answerMS), ...(signal ? [signal] : [])])

/**
 * The failure of a call without a readable response. `NETWORK`: no connection. `TIMEOUT`: no response in time.
 * `UNREADABLE`: a response that is not JSON, such as the page of a proxy.
 */
export function unanswered(error: unknown): unknown {
  if (error instanceof TypeError) return new ApiFailure(0, 'NETWORK', error.message)
  if (error instanceof SyntaxError) return new ApiFailure(0, 'UNREADABLE', error.message)
  return error instanceof DOMException && error.name === 'TimeoutError'
    ? new ApiFailure(0, 'TIMEOUT', error.message)
    : error
}

export interface ApiOptions {
  /** The app to call; undefined for the operator's own session. */
  app?: string
  csrfToken?: string
  /** Why the operator reads conversations, for the audit log. */
  reason?: string
  /** Called when the session has ended. */
  onSessionEnd: () => void
}

/** Typed calls of every operation, authenticated as the signed-in operator. */
export function createApi({ app, csrfToken, reason, onSessionEnd }: ApiOptions): Api {
  const api = createClient<paths>({ baseUrl })
  const sign: Middleware = {
    onRequest({ request }) {
      if (app !== undefined) request.headers.set('Parley-App', encodeURIComponent(app))
      if (reason !== undefined) request.headers.set('Parley-Reason', encodeURIComponent(reason))
      if (isUnattended()) request.headers.set('Parley-Unattended', 'true')
      if (csrfToken !== undefined && request.method !== 'GET') request.headers.set('Parley-CSRF', csrfToken)
      return new Request(request, { signal: withDeadline(request.signal) })
    },
    async onResponse({ response }) {
      if (response.status === 401 && (await codeOf(response.clone())) === 'INVALID_SESSION') onSessionEnd()
    },
  }
  api.use(sign)
  return api
}

interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/** The `result` in a call's envelope. @throws ApiFailure */
export async function resultOf<Result>(call: Promise<Answer<{ result: Result }>>): Promise<Result> {
  return (await dataOf(call)).result
}

/** The whole body of a call's response. @throws ApiFailure */
export async function dataOf<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((failure: unknown) => {
    throw unanswered(failure)
  })
  if (data !== undefined && response.ok) return data
  throw failureOf(error, response)
}

function failureOf(body: unknown, response: Response): ApiFailure {
  const { error, message } = (body ?? {}) as { error?: { code?: string; message?: string } | string; message?: string }
  const code = typeof error === 'string' ? error : error?.code
  const said = typeof error === 'string' ? message : error?.message
  return new ApiFailure(
    response.status,
    code ?? `HTTP ${response.status}`,
    said ?? response.statusText,
    response.headers,
  )
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body: unknown = await response.json().catch(() => undefined)
  return failureOf(body, response).code
}
