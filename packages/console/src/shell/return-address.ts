const stored = 'parley-console-return'

/** Remembers the present address while an identity provider signs the operator in. */
export function rememberAddress(): void {
  sessionStorage.setItem(stored, location.href)
}

/** The address to come back to, once. */
export function takeAddress(): string | undefined {
  const address = sessionStorage.getItem(stored) ?? undefined
  sessionStorage.removeItem(stored)
  return address !== undefined && new URL(address).origin === location.origin ? address : undefined
}
