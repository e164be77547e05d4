import type { ParleyError } from '../parley-error.ts'

/**
 * - `connecting`: connecting and logging in.
 * - `syncing`: events arrive while missed ones are fetched.
 * - `online`: up to date.
 * - `waiting`: offline because of `error`; retries at `retryAtMS`.
 * - `stopped`: Parley refused the login with `error`. Only `client.connect()` retries.
 * - `closed`: closed by `client.close()`.
 */
export type ConnectionState =
  | { status: 'connecting' | 'syncing' | 'online' | 'closed' }
  | { status: 'waiting'; error: ParleyError; retryAtMS: number }
  | { status: 'stopped'; error: ParleyError }

/** Whether events arrive and calls go out. */
export function isConnected({ status }: ConnectionState): boolean {
  return status === 'syncing' || status === 'online'
}

/** Login errors that retrying cannot fix. */
export const finalCodes: readonly string[] = ['INVALID_TOKEN', 'INVALID_CLIENT_KEY', 'INVALID_REQUEST']
