const stored = 'parley-console-return'
/** Stored instead of a URL in a tab that is only for signing in. */
const otherTab = 'other tab'

/** Remembers the current URL during a sign-in with an identity provider. */
export function rememberAddress(): void {
  if (sessionStorage.getItem(stored) !== otherTab) sessionStorage.setItem(stored, location.href)
}

/** Opens a URL for signing in beside this tab, and keeps its view; returns whether the browser allowed it. */
export function openBeside(url: string): boolean {
  // A new tab starts with a copy of this tab's storage.
  sessionStorage.setItem(stored, otherTab)
  const opened = open(url, '_blank')
  sessionStorage.removeItem(stored)
  return opened !== null
}

/** Whether this tab was opened for signing in only. */
export const isForSignIn = (): boolean => sessionStorage.getItem(stored) === otherTab

/** Returns the remembered URL, once. */
export function takeAddress(): string | undefined {
  const address = sessionStorage.getItem(stored) ?? undefined
  sessionStorage.removeItem(stored)
  return address !== undefined && new URL(address).origin === location.origin ? address : undefined
}
