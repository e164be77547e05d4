import type { ParleyError } from '../parley-error.ts'

/**
 * - `connecting`: it connects and logs in.
 * - `syncing`: events arrive, and missed ones are being fetched.
 * - `online`: everything is up to date.
 * - `waiting`: it is offline, by `error`, and retries at `retryAtMS`.
 * - `stopped`: Parley refuses it, by `error`; only `client.connect()` tries again.
 * - `closed`: by `client.close()`.
 */
export type ConnectionState =
  | { status: 'connecting' | 'syncing' | 'online' | 'closed' }
  | { status: 'waiting'; error: ParleyError; retryAtMS: number }
  | { status: 'stopped'; error: ParleyError }

/** Whether events arrive, and calls and emits go out. */
export function isConnected({ status }: ConnectionState): boolean {
  return status === 'syncing' || status === 'online'
}

/** Codes at the login that no further try mends. */
export const finalCodes: readonly string[] = ['INVALID_TOKEN', 'INVALID_CLIENT_KEY', 'INVALID_REQUEST']
