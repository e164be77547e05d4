import type { HttpResponse } from 'uWebSockets.js'
import type { EngineState } from '../engine/connection.ts'
import { type Owner, ownerOf } from '../engine/session-id.ts'
import { badRequest, errorResponse, outOfReach, type Reply, unknownSession } from './answer.ts'
import type { PollRequest } from './poll-owner.ts'
import { readBody } from './read-body.ts'
import { servePoll } from './serve-poll.ts'

/** The requester of a poll or post, which gets one response unless it leaves before. */
type Requester = {
  reply: Reply
  /** Sets the function to call when the requester leaves, replacing any earlier one. */
  onGone: (stop: (() => void) | undefined) => void
}

/** Serves a request to a session here, or forwards it to the session's node. @param poll its name (PollRequest) */
export function serveRequest<S>(
  state: EngineState<S>,
  res: HttpResponse,
  method: 'get' | 'post',
  sid: string,
  answer: Reply,
  poll?: string,
): void {
  const owner = ownerOf(state, sid)
  if (owner === undefined) return answer(unknownSession())
  const requester = requesterOf(res, answer)
  const asked: PollRequest = { method: 'GET', sid, body: '', poll }
  if (owner === 'here')
    return method === 'get' ? pollHere(state, asked, requester) : postHere(state, res, sid, requester)
  if (method === 'get') return forward(owner, { ...asked, via: state.nodeId }, requester)
  return postElsewhere(state, res, owner, sid, requester)
}

function requesterOf(res: HttpResponse, answer: Reply): Requester {
  let isOver = false
  let stop: (() => void) | undefined
  res.onAborted(() => {
    isOver = true
    stop?.()
  })
  return {
    reply: (response) => {
      if (isOver) return
      isOver = true
      answer(response)
    },
    onGone: (then) => {
      stop = then
    },
  }
}

function pollHere<S>({ sessions }: EngineState<S>, asked: PollRequest, { reply, onGone }: Requester): void {
  onGone(servePoll(sessions, asked, reply))
}

function postHere<S>(state: EngineState<S>, res: HttpResponse, sid: string, { reply, onGone }: Requester): void {
  const session = state.sessions.get(sid)
  const polling = session?.polling
  if (polling === undefined) return reply(unknownSession())
  if (polling.posting) {
    session?.terminate('overlapping posts')
    return reply(badRequest('overlapping posts'))
  }
  polling.posting = true
  const stopReading = readBody(res, {
    limit: state.maxPayload,
    withinMS: state.bodyTimeoutMS,
    done: ({ text, isWhole }) => {
      polling.posting = false
      if (text === undefined) reply(tooLarge(isWhole))
      else onGone(servePoll(state.sessions, { method: 'POST', sid, body: text }, reply))
    },
  })
  return onGone(() => {
    stopReading()
    polling.posting = false
  })
}

/**
 * Forwards a post to a session on another node. Bodies are forwarded whole, so before reading a long one, asks the
 * owner whether it has the session. Reads one body per session at a time.
 */
function postElsewhere<S>(
  state: EngineState<S>,
  res: HttpResponse,
  owner: Owner,
  sid: string,
  { reply, onGone }: Requester,
): void {
  const { foreignPosts } = state
  if (foreignPosts.has(sid)) return reply(badRequest('overlapping posts'))
  foreignPosts.add(sid)
  const asking: Requester = {
    reply: (response) => {
      if (response.status !== 200) refuse({ ...response, close: true })
    },
    onGone: () => {},
  }
  const stopReading = readBody(res, {
    limit: state.maxPayload,
    withinMS: state.bodyTimeoutMS,
    isLong: () => forward(owner, { method: 'HOLDS', sid, body: '' }, asking),
    done: ({ text, isWhole }) => {
      foreignPosts.delete(sid)
      if (text === undefined) reply(tooLarge(isWhole))
      else forward(owner, { method: 'POST', sid, body: text }, { reply, onGone })
    },
  })
  const stop = () => {
    stopReading()
    foreignPosts.delete(sid)
  }
  const refuse: Reply = (response) => {
    stop()
    reply(response)
  }
  return onGone(stop)
}

function tooLarge(isWhole: boolean) {
  return { ...errorResponse(413, 3, 'Payload too large'), close: !isWhole }
}

function forward({ node, reach }: Owner, request: PollRequest, { reply, onGone }: Requester): void {
  const controller = new AbortController()
  onGone(() => controller.abort())
  reach(node, request, controller.signal).then(reply, () => reply(outOfReach()))
}
