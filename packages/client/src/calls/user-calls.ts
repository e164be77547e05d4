import { type TokenSource, withToken } from '../connection/token-source.ts'
import { clientCalls } from '../generated/client-calls.ts'
import type { ClientCalls } from '../generated/types.ts'
import { type CallOptions, headerValue, httpCall } from './http-call.ts'
import { type TypedCalls, typedCalls } from './typed-calls.ts'

export type UserCalls = TypedCalls<ClientCalls>

export interface UserCallsOptions {
  url: string
  /** Resolves once the client key is known. */
  clientKey: () => Promise<string>
  /** The calling device, which gets no events for its own calls. */
  deviceID: string | undefined
  tokens: TokenSource
  /** The user's ID, once known. */
  me: () => string | undefined
  timeoutMS: number
}

/** The calls of a user. A call refused for an expired token is retried with a new one, if available. */
export function createUserCalls({ url, clientKey, deviceID, tokens, me, timeoutMS }: UserCallsOptions): UserCalls {
  const call = (route: string, input?: Record<string, unknown>, options?: CallOptions) =>
    withToken(tokens, async (token) => {
      const key = await clientKey()
      const user = me()
      const headers = () => ({
        'im-client-key': key,
        'im-authorization': headerValue(token),
        ...(deviceID !== undefined && { 'im-device-id': headerValue(deviceID) }),
        ...(user !== undefined && { 'im-client-id': headerValue(user) }),
      })
      return httpCall({ url, headers, timeoutMS }, route, input, options)
    })
  return typedCalls<ClientCalls>(clientCalls, call)
}
