import type { HttpResponse } from 'uWebSockets.js'

/** Which browser origins may poll (WHATWG Fetch, section "CORS protocol"). WebSockets are not subject to CORS. */
export type CorsOptions = {
  /** `'*'` for any, a list of origins, or a function that decides. */
  origin: '*' | readonly string[] | ((origin: string) => boolean)
  /** Allow cookies; the origin is then echoed instead of `*`. */
  credentials?: boolean
  allowedHeaders?: readonly string[]
  maxAgeSeconds?: number
}

/** Writes the CORS headers that this origin is due; nothing for an origin that is not allowed. */
export function writeCorsHeaders(res: HttpResponse, cors: CorsOptions | undefined, origin: string): void {
  if (cors === undefined || origin === '') return
  const any = cors.origin === '*'
  if (typeof cors.origin === 'function' && !cors.origin(origin)) return
  if (Array.isArray(cors.origin) && !cors.origin.includes(origin)) return
  res.writeHeader('Access-Control-Allow-Origin', any && !cors.credentials ? '*' : origin)
  if (!any || cors.credentials) res.writeHeader('Vary', 'Origin')
  if (cors.credentials) res.writeHeader('Access-Control-Allow-Credentials', 'true')
}

/** Answers a preflight request. */
export function answerPreflight(res: HttpResponse, cors: CorsOptions | undefined, origin: string): void {
  res.writeStatus('204 No Content')
  writeCorsHeaders(res, cors, origin)
  res.writeHeader('Access-Control-Allow-Methods', 'GET, POST')
  res.writeHeader('Access-Control-Allow-Headers', cors?.allowedHeaders?.join(', ') ?? 'content-type')
  if (cors?.maxAgeSeconds !== undefined) res.writeHeader('Access-Control-Max-Age', String(cors.maxAgeSeconds))
  res.endWithoutBody()
}
