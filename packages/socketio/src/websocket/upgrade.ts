import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js'
import type { EngineState } from '../engine/connection.ts'
import { type Carried, Connection } from '../engine/connection.ts'
import { admission, openSession } from '../engine/open-session.ts'
import { isClearlyFramed, requestFault, unclearEnd } from '../engine/request-fault.ts'
import { type Owner, placeOf } from '../engine/session-id.ts'
import { answerAndClose, answerTo, outOfReach, type Reply, unknownSession } from '../polling/answer.ts'
import { Bridge } from './bridge.ts'

/** Accepts an upgrade; without a connection, closes the WebSocket at once. */
type Accept<S> = (connection: Carried<S>['connection']) => void

/** Handles a WebSocket request for a new session, or for a polling session on any node. */
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
  const place = placeOf(state, sid)
  if (place === undefined) return refuse(unknownSession())
  if (place !== 'here') return upgradeElsewhere(state, place, sid, res, req, { accept, refuse })
  const session = state.sessions.get(sid)
  if (session === undefined || session.closed) return refuse(unknownSession())
  return accept(session.mayUpgrade ? session : undefined)
}

/** Asks the owner before accepting the upgrade, so that every WebSocket has a session. */
function upgradeElsewhere<S>(
  state: EngineState<S>,
  owner: Owner,
  sid: string,
  res: HttpResponse,
  req: HttpRequest,
  { accept, refuse }: { accept: Accept<S>; refuse: Reply },
): void {
  const admitted = admission(state, 'bridge', res, req)
  if ('refusal' in admitted) return refuse(admitted.refusal)
  const gone = new AbortController()
  let isOver = false
  const finish = (act: () => void) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    act()
  }
  res.onAborted(() => finish(() => gone.abort()))
  const timer = setTimeout(() => finish(() => refuse(outOfReach())), state.upgradeTimeoutMS)
  owner.reach(owner.node, { method: 'HOLDS', sid, body: '' }, gone.signal).then(
    ({ status, body }) =>
      finish(() => {
        if (status !== 200 || body === 'ended') return refuse(unknownSession())
        const bridge = body === 'polling' ? new Bridge(state, owner, sid, admitted.address) : undefined
        res.cork(() => accept(bridge))
        return undefined
      }),
    () => finish(() => refuse(outOfReach())),
  )
  return undefined
}
