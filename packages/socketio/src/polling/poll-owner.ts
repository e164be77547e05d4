import type { PollResponse } from './answer.ts'
import type { PollRequest } from './serve-poll.ts'

/** Access to the sessions of other nodes. */
export type PollOwner = {
  /** Whether this node is alive; a session of a node that is not is unknown, without any request. */
  isAlive: (nodeId: string) => boolean
  /**
   * Forwards a request to one of the node's sessions and resolves to the response. The owner serves it with
   * `serveForwarded`. `signal` aborts when the requesting client goes away; the owner must learn that, so that it ends
   * the session as it would for its own client. Rejects when the owner cannot be reached.
   */
  reach: (nodeId: string, request: PollRequest, signal: AbortSignal) => Promise<PollResponse>
}
