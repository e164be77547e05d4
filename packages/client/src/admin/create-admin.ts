import { type CallOptions, headerValue, httpCall } from '../calls/http-call.ts'
import { type TypedCalls, typedCalls } from '../calls/typed-calls.ts'
import { adminCalls } from '../generated/admin-calls.ts'
import type { AdminCalls, ListEventsResult, SavedUser, SaveUserInput, SaveUserResult } from '../generated/types.ts'
import { type EventsOptions, eventsAfter } from './events.ts'

export interface AdminOptions {
  /** The base URL of Parley. */
  url: string
  /** The app's API key. Keep it on your server. */
  apiKey: string
  /** How long a call waits for its response; 60 s by default. `events()` adds its long-poll wait. */
  timeoutMS?: number
}

export interface WithToken {
  token: string
  /** ISO-8601 time */
  expirationDate: string
}

/** The modes of `saveUser`: docs/reference/users.md#create-update-issue-a-token. */
export interface SaveUser {
  /** Issues a token. */
  (input: SaveUserInput & { issueAccessToken: true }, options?: CallOptions): Promise<SavedUser & WithToken>
  /** Creates a user with a token that you provide. */
  (
    input: SaveUserInput & WithToken & { issueAccessToken: false },
    options?: CallOptions,
  ): Promise<Exclude<SaveUserResult, SavedUser>>
  /** Updates a profile. */
  (
    input: SaveUserInput & { issueAccessToken?: undefined; token?: undefined },
    options?: CallOptions,
  ): Promise<SavedUser>
  (input: SaveUserInput, options?: CallOptions): Promise<SaveUserResult>
}

/** Every API-key call by its operationId (docs/openapi.json), for your server. */
export interface Admin extends Omit<TypedCalls<AdminCalls>, 'saveUser'> {
  saveUser: SaveUser
  /** The app's events, from a cursor or from now on, until `signal` aborts. Transient errors are retried. */
  events(options?: EventsOptions): AsyncGenerator<ListEventsResult['data'][number], void>
}

export function createAdmin({ url, apiKey, timeoutMS = 60_000 }: AdminOptions): Admin {
  const options = {
    url: url.replace(/\/+$/, ''),
    headers: () => ({ 'im-api-key': headerValue(apiKey) }),
    timeoutMS,
  }
  const calls = typedCalls<AdminCalls>(adminCalls, (...about) => httpCall(options, ...about))
  return {
    ...calls,
    saveUser: calls.saveUser as SaveUser,
    events: (about = {}) => eventsAfter(calls, about, timeoutMS),
  }
}
