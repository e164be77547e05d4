import { createUserCalls, type UserCalls } from '../calls/user-calls.ts'
import { createTokenSource, type FetchToken } from '../connection/token-source.ts'

export interface WorkerCallsOptions {
  /** The base URL of Parley. */
  url: string
  /** `client.clientKey` after the login. */
  clientKey: string
  /** The user's token, or a function that fetches one. */
  token: string | FetchToken
  /** ID of the user. */
  user: string
  deviceID: string
}

/** A user's calls without a connection, for a service worker that replies and marks as read while no page is open. */
export function createWorkerCalls({ url, clientKey, token, user, deviceID }: WorkerCallsOptions): UserCalls {
  return createUserCalls({
    ...{ url: url.replace(/\/+$/, ''), deviceID, timeoutMS: 20_000 },
    clientKey: async () => clientKey,
    tokens: createTokenSource(token),
    me: () => user,
  })
}
