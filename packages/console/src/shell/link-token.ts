/**
 * The token of a one-time sign-in link, `/console#link=…`. It leaves the address at once, so that neither the history nor a
 * copied address has it.
 */
function takeLinkToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('link')
  if (token === null) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  return token
}

export const linkToken: { present: string | undefined } = { present: takeLinkToken() }
