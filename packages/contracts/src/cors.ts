import { headerNames } from './headers.ts'

/**
 * The CORS policy (docs/reference/README.md#authentication; WHATWG Fetch, "CORS protocol"). Any origin is allowed: keys and
 * tokens travel in custom headers, which browsers never add by themselves. The operator cookie only works together with
 * headers that are not listed here.
 */
export const corsOrigin = '*'
export const corsMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE']
/** Request headers that the API reads, except the operators': the console is same-origin. */
export const corsRequestHeaders = [
  'Content-Type',
  'IM-API-KEY',
  'IM-CLIENT-KEY',
  'IM-Authorization',
  ...headerNames,
  'X-Request-ID',
  'traceparent',
  // For /mcp.
  'Authorization',
  'Mcp-Protocol-Version',
]
/** Response headers that a script may read. */
export const corsExposedHeaders = ['X-Request-ID', 'Retry-After', 'Parley-Ignored']
/** How long a browser may cache the preflight. */
export const corsMaxAgeSeconds = 600

/** Response headers that let cross-origin scripts read a response. */
export const corsAnswerHeaders = {
  'access-control-allow-origin': corsOrigin,
  'access-control-expose-headers': corsExposedHeaders.join(', '),
}
