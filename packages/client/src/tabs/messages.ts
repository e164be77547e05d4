import type { ConnectionState } from '../connection/connection-state.ts'
import type { LoginResult } from '../generated/types.ts'
import { ParleyError, type ParleyErrorCode } from '../parley-error.ts'
import type { Look } from './browser.ts'
import type { FetchedToken } from './shared-token.ts'

/** A ParleyError for a channel, which clones objects without their class. */
export interface SentError {
  code: ParleyErrorCode
  message: string
  status: number
  retryAfterMS: number | undefined
}

/** A connection state for a channel. */
export type SentState =
  | { status: 'connecting' | 'syncing' | 'online' | 'closed' }
  | { status: 'waiting'; error: SentError; retryAtMS: number }
  | { status: 'stopped'; error: SentError }

export interface SharedLogin {
  /** Number of this login of the leader. */
  count: number
  result: LoginResult & { resumed?: boolean }
  /** Server time from which events were replayed. */
  since: number
  /** Server time up to which the leader knows everything. */
  knownMS: number
}

/** State of the shared connection. */
export interface SharedState {
  state: SentState
  login?: SharedLogin | undefined
  /** The user, once known. */
  user: string | undefined
  /** With `stopped`: digest of the refused token. */
  refused?: string | undefined
}

/** Sent by the leader. */
export type LeaderMessage =
  | (SharedState & { type: 'state' /** The tab that asked; all tabs by default. */; to?: string })
  | { type: 'event'; name: string; payload: unknown }
  | { type: 'ack'; to: string; id: number; result?: unknown; error?: SentError }
  | { type: 'alive' }

/** A higher term is a newer leader's, and wins. `events` counts the term's events, so that a tab notices a gap. */
export type OfLeader = LeaderMessage & { from: string; term: number; events: number }

/** For the tabs of one user, verified by the sender. Tabs that have not verified the same user drop it. */
export type OfUser =
  | { type: 'loggedOut'; user: string }
  | { type: 'token'; user: string; fetched: FetchedToken }
  | { type: 'tokenWanted'; user: string; sinceMS: number }

/** Sent by followers. */
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
