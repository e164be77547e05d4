import type { TokenSource } from '../connection/token-source.ts'
import { clientCalls } from '../generated/client-calls.ts'
import type { ClientCalls } from '../generated/types.ts'
import { ParleyError } from '../parley-error.ts'
import { type CallOptions, headerValue, httpCall } from './http-call.ts'
import { type TypedCalls, typedCalls } from './typed-calls.ts'

export type UserCalls = TypedCalls<ClientCalls>

export interface UserCallsOptions {
  url: string
  /** The client key, once it is known. */
  clientKey: () => Promise<string>
  deviceID: string
  tokens: TokenSource
  /** The user's ID, as soon as it is known. */
  userID: () => string | undefined
  timeoutMS: number
}

/** The calls of a user. One that is refused because the token ended is repeated with a new one, if there is one. */
export function createUserCalls({ url, clientKey, deviceID, tokens, userID, timeoutMS }: UserCallsOptions): UserCalls {
  async function call(route: string, input?: Record<string, unknown>, options?: CallOptions): Promise<unknown> {
    const token = await tokens.get()
    try {
      return await callWith(token, route, input, options)
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'INVALID_TOKEN') throw error
      const next = await tokens.renew(token)
      if (next === undefined) throw error
      return callWith(next, route, input, options)
    }
  }

  async function callWith(token: string, route: string, input?: Record<string, unknown>, options?: CallOptions) {
    const key = await clientKey()
    const user = userID()
    const headers = () => ({
      'im-client-key': key,
      'im-authorization': headerValue(token),
      'im-device-id': headerValue(deviceID),
      ...(user !== undefined && { 'im-client-id': headerValue(user) }),
    })
    return httpCall({ url, headers, timeoutMS }, route, input, options)
  }
  return typedCalls<ClientCalls>(clientCalls, call)
}
