/**
 * A request to a session, forwarded to its owner. All fields survive JSON. GET and POST are the client's polls and
 * posts; the other methods come from a node with a WebSocket for the session (see bridge.ts). HOLDS asks whether the
 * WebSocket may stay: `polling` if it may take over, `websocket` if the session already has one, `ended` if only
 * its last packets are left. PROBE begins the upgrade. TAKE and PUSH are the bridge's polls and posts. `poll` is the
 * client's unique name of its poll, `via` the forwarding node: if that node dies, a proxy repeats the poll through
 * another one.
 */
export type PollRequest = {
  method: 'GET' | 'POST' | 'HOLDS' | 'PROBE' | 'TAKE' | 'PUSH'
  sid: string
  body: string
  poll?: string | undefined
  via?: string | undefined
}

/**
 * The response to a poll or post; all fields survive JSON. `headers` has the content type; the node with the HTTP
 * connection adds CORS headers. `error` is the message of an error; `close` ends the HTTP connection after the
 * response.
 */
export type PollResponse = {
  status: number
  headers: Record<string, string>
  body: string
  error?: string
  close?: boolean
}

/** Access to the sessions of other nodes. */
export type PollOwner = {
  /** Whether this node is alive; a session of a dead node is unknown, without a request. */
  isAlive: (nodeId: string) => boolean
  /**
   * Forwards a request to a session's node, which serves it with `serveForwarded`, and resolves to the response.
   * `signal` aborts when the client leaves; pass this on, so that the owner ends the session as for its own client.
   * Rejects if the owner is unreachable.
   */
  reach: (nodeId: string, request: PollRequest, signal: AbortSignal) => Promise<PollResponse>
}
