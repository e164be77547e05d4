import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js'
import type { EngineState } from '../engine/connection.ts'
import { type Carried, Connection } from '../engine/connection.ts'
import { admission, openSession } from '../engine/open-session.ts'
import { isClearlyFramed, requestFault, unclearEnd } from '../engine/request-fault.ts'
import { ownerOf } from '../engine/session-id.ts'
import { answerAndClose, answerTo, unknownSession } from '../polling/answer.ts'
import { Bridge } from './bridge.ts'

/** Accepts an upgrade; without a connection, closes the WebSocket at once. */
type Accept<S> = (connection: Carried<S>['connection']) => void

/**
 * Handles a WebSocket request for a new session, or for a polling session on any node. Accepts it in this turn of the
 * event loop: after a later `res.cork(() => res.upgrade(…))`, uWebSockets.js can close the WebSocket at once, since
 * HttpResponse::cork reads the flags of a response that no longer exists.
 */
export function upgrade<S>(
  state: EngineState<S>,
  res: HttpResponse,
  req: HttpRequest,
  context: us_socket_context_t,
): void {
  const refuse = answerTo(res, req, state)
  if (!isClearlyFramed(req, 'websocket')) return answerAndClose(res, refuse, unclearEnd())
  const fault = requestFault(req, 'websocket')
  if (fault !== undefined) return refuse(fault)
  const key = req.getHeader('sec-websocket-key')
  const protocol = req.getHeader('sec-websocket-protocol')
  const extensions = req.getHeader('sec-websocket-extensions')
  const accept: Accept<S> = (connection) => res.upgrade<Carried<S>>({ connection }, key, protocol, extensions, context)
  const sid = req.getQuery('sid')
  if (!sid) {
    const connection = openSession(state, 'websocket', res, req)
    if (!(connection instanceof Connection)) return refuse(connection)
    return accept(connection)
  }
  const owner = ownerOf(state, sid)
  if (owner === undefined) return refuse(unknownSession())
  if (owner !== 'here') {
    const admitted = admission(state, 'bridge', res, req)
    if ('refusal' in admitted) return refuse(admitted.refusal)
    return accept(new Bridge(state, owner, sid, admitted.address))
  }
  const session = state.sessions.get(sid)
  if (session === undefined || session.closed) return refuse(unknownSession())
  return accept(session.mayUpgrade ? session : undefined)
}
