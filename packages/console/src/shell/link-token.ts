/** Takes the token from the URL's fragment at once, so that neither the history nor a copied URL has it. */
function takeHash(): URLSearchParams {
  const hash = new URLSearchParams(location.hash.slice(1))
  if (hash.has('link') || hash.has('error')) history.replaceState(null, '', location.pathname + location.search)
  return hash
}

const hash = takeHash()

/** The token of a one-time sign-in link, `/console#link=…`. */
export const linkToken: { present: string | undefined } = { present: hash.get('link') ?? undefined }

/** Why the sign-in with an identity provider failed, `/console#error=…`. */
export const ssoError: string | undefined = hash.get('error') ?? undefined
