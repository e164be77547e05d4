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
 * Authenticates a connection (docs/reference/socket.md#connect); a token that was refused is replaced once.
 * @param ended a token that is known to have ended
 * @throws ParleyError
 */
export async function login(
  emit: Emit,
  { tokens, clientKey, deviceID, encoding }: LoginOptions,
  since: number,
  ended: string | undefined,
): Promise<{ token: string; result: LoginResult & { resumed?: boolean } }> {
  if (encoding !== 'plain') await emitChecked(emit, 'conf', { encoding })
  const auth2 = async (token: string) => {
    const options = { deviceId: deviceID, clientKey: clientKey(), since }
    return { token, result: (await emitChecked(emit, 'auth2', token, options)) as LoginResult }
  }
  return withToken(tokens, auth2, ended)
}

/**
 * The `result` of an acknowledgement.
 * @throws ParleyError of its error, or NETWORK_ERROR when none came
 */
export async function emitChecked(emit: Emit, event: string, ...args: unknown[]): Promise<unknown> {
  const answer = (await emit(event, ...args).catch((error: unknown) => {
    throw networkError(error)
  })) as { RC: number; result?: unknown }
  if (answer.RC !== 0) throw errorOf(answer.RC, answer)
  return answer.result
}
