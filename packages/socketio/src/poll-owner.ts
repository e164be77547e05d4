import type { PollResponse } from './answer.ts'
import type { PollRequest } from './serve-poll.ts'

/**
 * Reaches the node that holds a session: hands it the request and resolves to its answer. The owner serves it with
 * `serveForwarded`. `signal` aborts when the requesting client goes away; the owner must then be told, so that it ends
 * the session as it would for its own client. Rejects when the owner cannot be reached.
 */
export type PollOwner = (nodeId: string, request: PollRequest, signal: AbortSignal) => Promise<PollResponse>
