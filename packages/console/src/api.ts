import createClient, { type Client, type Middleware } from 'openapi-fetch'
import type { paths } from '../generated/openapi.ts'

export type Api = Client<paths>

/** The base URL of Parley. A proxy may serve it under any path. */
export const baseUrl: string = new URL('../..', import.meta.url).href.replace(/\/$/, '')

/** A refused or failed call. `code` is one of docs/errors.md, or `NETWORK` without a response. */
export class ApiFailure extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | undefined
  constructor(status: number, code: string, message: string, requestId?: string) {
    super(message)
    this.status = status
    this.code = code
    this.requestId = requestId
  }
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
      if (csrfToken !== undefined && request.method !== 'GET') request.headers.set('Parley-CSRF', csrfToken)
      return request
    },
    async onResponse({ response }) {
      if (response.status === 401 && (await codeOf(response.clone())) === 'INVALID_SESSION') onSessionEnd()
    },
    onError: ({ error }) =>
      error instanceof TypeError ? new ApiFailure(0, 'NETWORK', error.message) : new Error(String(error)),
  }
  api.use(sign)
  return api
}

interface Answer<Data> {
  data?: Data
  error?: unknown
  response: Response
}

/**
 * The `result` in a call's envelope.
 * @throws ApiFailure
 */
export async function resultOf<Result>(call: Promise<Answer<{ result: Result }>>): Promise<Result> {
  return (await dataOf(call)).result
}

/**
 * The whole body of a call's response.
 * @throws ApiFailure
 */
export async function dataOf<Data>(call: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await call
  if (data !== undefined && response.ok) return data
  throw failureOf(error, response)
}

function failureOf(body: unknown, response: Response): ApiFailure {
  const { error, message } = (body ?? {}) as { error?: { code?: string; message?: string } | string; message?: string }
  const code = typeof error === 'string' ? error : error?.code
  const said = typeof error === 'string' ? message : error?.message
  const requestId = response.headers.get('x-request-id') ?? undefined
  return new ApiFailure(response.status, code ?? `HTTP ${response.status}`, said ?? response.statusText, requestId)
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body: unknown = await response.json().catch(() => undefined)
  return failureOf(body, response).code
}
