/**
 * A request to a session, for its owner, from any node. All fields survive JSON. GET and POST are the client's polls and posts;
 * the others come from a node with a WebSocket for the session (see bridge.ts). HOLDS asks whether the WebSocket may be opened:
 * `polling` if it may take over, `websocket` if the session has one already, `ended` if only its last packets wait. PROBE begins
 * the upgrade; TAKE and PUSH are the bridge's polls and posts. `poll` is the client's unique name for its poll, `via` the
 * forwarding node: if that node dies, a proxy repeats the poll through another.
 */
export type PollRequest = {
  method: 'GET' | 'POST' | 'HOLDS' | 'PROBE' | 'TAKE' | 'PUSH'
  sid: string
  body: string
  poll?: string | undefined
  via?: string | undefined
}

/**
 * The response to a poll or post; all fields survive JSON. `headers` has the content type; the node with the HTTP connection
 * adds CORS headers. `error` is the message of an error; `close` ends the HTTP connection after the response.
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
   * Forwards a request to one of the node's sessions and resolves to the response. The owner serves it with `serveForwarded`.
   * `signal` aborts when the requesting client leaves; the owner must learn that, to end the session as for its own client.
   * Rejects if the owner cannot be reached.
   */
  reach: (nodeId: string, request: PollRequest, signal: AbortSignal) => Promise<PollResponse>
}
