import type { HttpRequest, HttpResponse } from 'uWebSockets.js'

/** The browser origins that may poll (WHATWG Fetch, section "CORS protocol"). WebSockets are not subject to CORS. */
export type CorsOptions = {
  /** `'*'` for any, a list of origins, or a function that decides. */
  origin: '*' | readonly string[] | ((origin: string) => boolean)
  /** Allows cookies. The origin is then echoed instead of `*`. */
  credentials?: boolean
  /** Request headers that may be sent; by default, those that the browser requests. */
  allowedHeaders?: readonly string[]
  /** Response headers that a script may read. */
  exposedHeaders?: readonly string[]
  maxAgeSeconds?: number
}

/** Writes the CORS headers for this origin; none if it is not allowed. */
export function writeCorsHeaders(res: HttpResponse, cors: CorsOptions | undefined, origin: string): void {
  if (cors === undefined || origin === '') return
  const any = cors.origin === '*'
  if (typeof cors.origin === 'function' && !cors.origin(origin)) return
  if (Array.isArray(cors.origin) && !cors.origin.includes(origin)) return
  res.writeHeader('Access-Control-Allow-Origin', any && !cors.credentials ? '*' : origin)
  if (!any || cors.credentials) res.writeHeader('Vary', 'Origin')
  if (cors.credentials) res.writeHeader('Access-Control-Allow-Credentials', 'true')
  if (cors.exposedHeaders) res.writeHeader('Access-Control-Expose-Headers', cors.exposedHeaders.join(', '))
}

export function answerPreflight(res: HttpResponse, req: HttpRequest, cors: CorsOptions | undefined): void {
  const origin = req.getHeader('origin')
  const asked = req.getHeader('access-control-request-headers')
  res.writeStatus('204 No Content')
  writeCorsHeaders(res, cors, origin)
  res.writeHeader('Access-Control-Allow-Methods', 'GET, POST')
  res.writeHeader('Access-Control-Allow-Headers', cors?.allowedHeaders?.join(', ') ?? (asked || 'content-type'))
  if (cors?.maxAgeSeconds !== undefined) res.writeHeader('Access-Control-Max-Age', String(cors.maxAgeSeconds))
  res.endWithoutBody()
}
