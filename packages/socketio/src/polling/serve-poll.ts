import type { Connection } from '../engine/connection.ts'
import { type Reply, textResponse, unknownSession } from './answer.ts'
import type { PollRequest } from './poll-owner.ts'
import type { Polling } from './polling.ts'

/** Serves a poll or post to a session on this node. Returns a function to call when the requester leaves. */
export function servePoll<S>(
  sessions: Map<string, Connection<S>>,
  request: PollRequest,
  reply: Reply,
): (() => void) | undefined {
  const connection = sessions.get(request.sid)
  if (request.method === 'HOLDS' && connection !== undefined) {
    reply(textResponse(connection.closed ? 'ended' : connection.mayUpgrade ? 'polling' : 'websocket'))
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
  polling: Polling,
  request: PollRequest,
  reply: Reply,
): (() => void) | undefined {
  const { closed } = connection
  const { method, body } = request
  const ofClient = method === 'GET' || method === 'POST'
  if (polling.bridged && ofClient) reply(unknownSession())
  else if (method === 'GET') return polling.poll(reply, request)
  // Accept posts after the session has ended too: after an error, the client would not fetch the last packets, such as
  // the reason for the disconnect.
  else if (method === 'POST' || method === 'PUSH') polling.post(body, reply)
  else if (method === 'TAKE') {
    if (polling.bridged) return polling.poll(reply)
    if (!polling.isUpgrading || polling.probe !== undefined) reply(unknownSession())
    else {
      polling.release()
      polling.stopUpgrade()
      polling.bridged = true
      if (!closed) connection.upgraded()
      return polling.poll(reply)
    }
  } else if (method === 'PROBE' && !closed && connection.mayUpgrade) {
    polling.startUpgrade()
    reply(textResponse('ok'))
  } else reply(unknownSession())
  return undefined
}
