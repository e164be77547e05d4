const stored = 'parley-console-return'

/** Remembers the current URL during a sign-in with an identity provider. */
export function rememberAddress(): void {
  sessionStorage.setItem(stored, location.href)
}

/** Returns the remembered URL, once. */
export function takeAddress(): string | undefined {
  const address = sessionStorage.getItem(stored) ?? undefined
  sessionStorage.removeItem(stored)
  return address !== undefined && new URL(address).origin === location.origin ? address : undefined
}
