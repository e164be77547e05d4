import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'

/**
 * Browsers accept a `__Host-` cookie only from this host, over TLS, for all paths: no other host of the domain can set it
 * (RFC 6265bis, "Cookie Name Prefixes"). Plain HTTP on localhost uses another name.
 */
const names = {
  session: { secure: '__Host-parley', plain: 'parley-operator' },
  flow: { secure: '__Host-parley-oidc', plain: 'parley-oidc' },
}
type CookieName = keyof typeof names

const flowSeconds = 600

/** The session cookie, which only same-site pages send. */
export function sessionCookie(request: FastifyRequest, token: string, endsAt: Date): string {
  const expires = new Date(endsAt)
  return cookie(request, 'session', { value: token, expires, sameSite: 'strict' })
}

export function endedSessionCookie(request: FastifyRequest): string {
  return cookie(request, 'session', { value: '', maxAge: 0, sameSite: 'strict' })
}

/** Lax: the callback comes from the identity provider's site. */
export function flowCookie(request: FastifyRequest, flow: string): string {
  return cookie(request, 'flow', { value: flow, maxAge: flowSeconds, sameSite: 'lax' })
}

export function endedFlowCookie(request: FastifyRequest): string {
  return cookie(request, 'flow', { value: '', maxAge: 0, sameSite: 'lax' })
}

/** The value of a cookie of this request; undefined without one. */
export function cookieOf(request: FastifyRequest, name: CookieName): string | undefined {
  const { cookie: sent } = request.headers
  if (sent === undefined) return undefined
  return parseCookie(sent)[nameOf(request, name)] || undefined
}

function cookie(
  request: FastifyRequest,
  name: CookieName,
  attributes: Omit<Parameters<typeof stringifySetCookie>[0], 'name'>,
): string {
  const secure = !isPlainHere(request)
  return stringifySetCookie({ ...attributes, name: nameOf(request, name), httpOnly: true, path: '/', secure })
}

function nameOf(request: FastifyRequest, name: CookieName): string {
  return names[name][isPlainHere(request) ? 'plain' : 'secure']
}

/** Whether the browser speaks plain HTTP to a name of its own machine. */
function isPlainHere({ protocol, host }: FastifyRequest): boolean {
  return protocol === 'http' && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(host)
}
