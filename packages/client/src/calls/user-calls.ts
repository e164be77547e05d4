import { type TokenSource, withToken } from '../connection/token-source.ts'
import { clientCalls } from '../generated/client-calls.ts'
import type { ClientCalls } from '../generated/types.ts'
import { type CallOptions, headerValue, httpCall } from './http-call.ts'
import { type TypedCalls, typedCalls } from './typed-calls.ts'

export type UserCalls = TypedCalls<ClientCalls>

export interface UserCallsOptions {
  url: string
  /** The client key, once it is known. */
  clientKey: () => Promise<string>
  /** The device that does not get the events of these calls. */
  deviceID: string | undefined
  tokens: TokenSource
  /** The user's ID, as soon as it is known. */
  me: () => string | undefined
  timeoutMS: number
}

/** The calls of a user. One that is refused because the token ended is repeated with a new one, if there is one. */
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
