import type { Connection } from '../engine/connection.ts'
import { type Reply, textResponse, unknownSession } from './answer.ts'
import type { Polling } from './polling.ts'

/**
 * A request to a session, for its owner, from any node. All fields survive JSON. GET and POST are the client's polls and
 * posts; the others come from a node with a WebSocket for the session (see bridge.ts). HOLDS asks whether the WebSocket
 * may be opened: `polling` when it may take over the session, `websocket` when the session has one already. PROBE begins
 * the upgrade, TAKE and PUSH are the bridge's polls and posts. `poll` is what a client names its poll by, differently each
 * time, `via` the node that forwarded it: when that dies, a proxy sends the poll again by another one.
 */
export type PollRequest = {
  method: 'GET' | 'POST' | 'HOLDS' | 'PROBE' | 'TAKE' | 'PUSH'
  sid: string
  body: string
  poll?: string | undefined
  via?: string | undefined
}

/** Serves a poll or post for a session that is held here. Returns the function to call when the requester goes away. */
export function servePoll<S>(
  sessions: Map<string, Connection<S>>,
  request: PollRequest,
  reply: Reply,
): (() => void) | undefined {
  const connection = sessions.get(request.sid)
  if (request.method === 'HOLDS' && connection !== undefined && !connection.closed) {
    reply(textResponse(connection.mayUpgrade ? 'polling' : 'websocket'))
    return undefined
  }
  const polling = connection?.polling
  if (connection === undefined || polling === undefined) {
    reply(unknownSession())
    return undefined
  }
  if (!connection.closed && connection.engine.heartbeat.isOverdue(connection)) {
    connection.terminate('ping timeout')
    reply(unknownSession())
    return undefined
  }
  return serveMethod(connection, polling, request, reply)
}

function serveMethod<S>(
  connection: Connection<S>,
  polling: Polling<S>,
  request: PollRequest,
  reply: Reply,
): (() => void) | undefined {
  const { closed } = connection
  const { method, body } = request
  const ofClient = method === 'GET' || method === 'POST'
  if (polling.bridged && ofClient) reply(unknownSession())
  else if (method === 'GET') return polling.poll(reply, request)
  else if (method === 'TAKE') {
    if (polling.bridged) return polling.poll(reply)
    if (closed || !polling.isUpgrading || polling.probe !== undefined) reply(unknownSession())
    else {
      polling.stopUpgrade()
      polling.bridged = true
      connection.upgraded()
      return polling.poll(reply)
    }
  } else if (closed || method === 'HOLDS') reply(unknownSession())
  else if (method === 'PROBE') {
    if (!connection.mayUpgrade) reply(unknownSession())
    else {
      polling.startUpgrade()
      reply(textResponse('ok'))
    }
  } else polling.post(body, reply)
  return undefined
}
