import { headerNames } from './headers.ts'

/**
 * The CORS policy (docs/reference/README.md#authentication; WHATWG Fetch, "CORS protocol"). Keys and tokens travel in
 * headers of their own, so no origin can use another's; the cookie of operators counts only with headers that are not here.
 */
export const corsOrigin = '*'
export const corsMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
/** Every request header that the API reads, but for those of operators, whose pages are of the gateway's own origin. */
export const corsRequestHeaders = [
  'Content-Type',
  'IM-API-KEY',
  'IM-CLIENT-KEY',
  'IM-Authorization',
  ...headerNames,
  'X-Request-ID',
  'traceparent',
  // Of /mcp.
  'Authorization',
  'Mcp-Protocol-Version',
]
/** Response headers that a script may read. */
export const corsExposedHeaders = ['X-Request-ID', 'Retry-After', 'Parley-Ignored']
/** How long a browser may cache the preflight. */
export const corsMaxAgeSeconds = 600

/** The headers that let a script of another origin read a response. */
export const corsAnswerHeaders = {
  'access-control-allow-origin': corsOrigin,
  'access-control-expose-headers': corsExposedHeaders.join(', '),
}
