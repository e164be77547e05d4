const codes: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'],
])

/** Whether a connection failed because the server is unreachable, by the code of the error or of one of its causes. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return codes.has((error as NodeJS.ErrnoException).code) || isUnreachable(error.cause)
}
