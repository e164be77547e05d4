import { type Reply, textResponse, unknownSession } from './answer.ts'
import type { Connection } from './connection.ts'
import type { Polling } from './polling.ts'

/**
 * A request to a session as its owner sees it, wherever it came in. All fields survive JSON. GET and POST are the
 * client's polls and posts; PROBE, TAKE and PUSH are those of a node that bridges a WebSocket (see bridge.ts): an
 * upgrade begins, a poll of the bridge, a post of the bridge.
 */
export type PollRequest = { method: 'GET' | 'POST' | 'PROBE' | 'TAKE' | 'PUSH'; sid: string; body: string }

/** Serves a poll or post for a session that is held here. Returns what to call when the requester goes away. */
export function servePoll<S>(
  polls: Map<string, Connection<S>>,
  request: PollRequest,
  reply: Reply,
): (() => void) | undefined {
  const connection = polls.get(request.sid)
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
  return serveMethod(polling, connection.closed, request, reply)
}

function serveMethod<S>(
  polling: Polling<S>,
  closed: boolean,
  { method, body }: PollRequest,
  reply: Reply,
): (() => void) | undefined {
  const ofClient = method === 'GET' || method === 'POST'
  if (polling.bridged && ofClient) reply(unknownSession())
  else if (method === 'GET') return polling.poll(reply)
  else if (method === 'TAKE') {
    polling.bridged = true
    polling.stopUpgrade()
    return polling.poll(reply)
  } else if (closed) reply(unknownSession())
  else if (method === 'PROBE') {
    polling.startUpgrade()
    reply(textResponse('ok'))
  } else polling.post(body, reply)
  return undefined
}
