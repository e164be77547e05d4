import assert from 'node:assert/strict'

/** Signs an operator in by a link; returns the cookie's value and the session as the API returns it. */
export async function signInByLink(
  url: string,
  token: string,
): Promise<{ cookie: string; session: Record<string, unknown> }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/operator/link`, { method: 'POST', headers, body: JSON.stringify({ token }) })
  assert.equal(answer.status, 200)
  const cookie = /parley-operator=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? ''
  return { cookie, session: ((await answer.json()) as { result: Record<string, unknown> }).result }
}

/** The cookie in the form of a browser context. */
export const browserCookie = (value: string) => ({
  ...{ name: 'parley-operator', value, domain: '127.0.0.1', path: '/', expires: -1 },
  ...{ httpOnly: true, secure: false, sameSite: 'Strict' as const },
})
