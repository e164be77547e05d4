import type { ConnectionState } from '../connection/connection-state.ts'
import type { LoginResult } from '../generated/types.ts'
import { ParleyError, type ParleyErrorCode } from '../parley-error.ts'
import type { Look } from './browser.ts'
import type { FetchedToken } from './shared-token.ts'

/** A ParleyError as it passes a channel, which clones objects without their class. */
export interface SentError {
  code: ParleyErrorCode
  message: string
  status: number
  retryAfterMS: number | undefined
}

/** A state of the connection as it passes a channel. */
export type SentState =
  | { status: 'connecting' | 'syncing' | 'online' | 'closed' }
  | { status: 'waiting'; error: SentError; retryAtMS: number }
  | { status: 'stopped'; error: SentError }

export interface SharedLogin {
  /** Counts the logins of this leader. */
  count: number
  result: LoginResult & { resumed?: boolean }
  /** Events since then were replayed. */
  since: number
  /** The leader knows everything up to this time of the server. */
  knownMS: number
}

/** Of the whole connection. */
export interface SharedState {
  state: SentState
  login?: SharedLogin | undefined
  /** The user, once known. */
  user: string | undefined
  /** With `stopped`: a digest of the token that was refused. */
  refused?: string | undefined
}

/** By the tab that has the connection. */
export type LeaderMessage =
  | (SharedState & { type: 'state' /** The tab that asked; by default all. */; to?: string })
  | { type: 'event'; name: string; payload: unknown }
  | { type: 'ack'; to: string; id: number; result?: unknown; error?: SentError }
  | { type: 'alive' }

/** A later term is another leader's, and wins; `events` counts those of this term, so that a tab notices a gap. */
export type OfLeader = LeaderMessage & { from: string; term: number; events: number }

/** For the tabs of one user: `user` has been proved to be the sender's, and a tab that has not proved the same one drops it. */
export type OfUser =
  | { type: 'loggedOut'; user: string }
  | { type: 'token'; user: string; fetched: FetchedToken }
  | { type: 'tokenWanted'; user: string; sinceMS: number }

/** By the other tabs. */
export type FollowerMessage =
  | { type: 'hello' | 'ping' | 'wake' }
  | { type: 'emit'; id: number; event: string; payload: unknown; user: string }
  | { type: 'look'; look: Look }
  | OfUser

export type OfTab = FollowerMessage & { from: string }

export type TabMessage = OfLeader | OfTab

export const toSentError = ({ code, message, status, retryAfterMS }: ParleyError): SentError => ({
  ...{ code, message, status, retryAfterMS },
})

export const toError = ({ code, message, status, retryAfterMS }: SentError): ParleyError =>
  new ParleyError(code, message, status, retryAfterMS)

export function toSentState(state: ConnectionState): SentState {
  return 'error' in state ? { ...state, error: toSentError(state.error) } : state
}
