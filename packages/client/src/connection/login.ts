import type { LoginResult } from '../generated/types.ts'
import { errorOf, networkError } from '../parley-error.ts'
import { type TokenSource, withToken } from './token-source.ts'

/** Emits with an acknowledgement and returns its envelope. */
export type Emit = (event: string, ...args: unknown[]) => Promise<unknown>

export interface LoginOptions {
  tokens: TokenSource
  clientKey: () => string | undefined
  deviceID: string
  encoding: 'plain' | 'base64'
}

/**
 * Authenticates a connection (docs/reference/socket.md#connect), with a new token if the current one is refused.
 * @param ended a token known to have expired
 * @throws ParleyError
 */
export async function login(
  emit: Emit,
  options: LoginOptions,
  since: number,
  ended: string | undefined,
): Promise<{ token: string; result: LoginResult & { resumed?: boolean } }> {
  const { encoding } = options
  if (encoding !== 'plain') await emitChecked(emit, 'conf', { encoding })
  return withToken(
    options.tokens,
    async (token) => ({ token, result: await authenticate(emit, options, token, since) }),
    ended,
  )
}

/**
 * Emits `auth2`. On an authenticated connection, the token replaces the current one.
 * @throws ParleyError
 */
export async function authenticate(
  emit: Emit,
  { clientKey, deviceID }: LoginOptions,
  token: string,
  since?: number,
): Promise<LoginResult> {
  return (await emitChecked(emit, 'auth2', token, {
    deviceId: deviceID,
    clientKey: clientKey(),
    since,
  })) as LoginResult
}

/**
 * Emits an event and returns the `result` of its acknowledgement.
 * @throws ParleyError for an error in the acknowledgement, or NETWORK_ERROR if none arrives
 */
export async function emitChecked(emit: Emit, event: string, ...args: unknown[]): Promise<unknown> {
  const answer = (await emit(event, ...args).catch((error: unknown) => {
    throw networkError(error)
  })) as { RC: number; result?: unknown }
  if (answer.RC !== 0) throw errorOf(answer.RC, answer)
  return answer.result
}
