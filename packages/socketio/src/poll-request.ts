import type { HttpResponse } from 'uWebSockets.js'
import { badRequest, errorResponse, type Reply, unknownSession } from './answer.ts'
import type { EngineState } from './engine-state.ts'
import type { PollOwner } from './poll-owner.ts'
import { type PollRequest, servePoll } from './serve-poll.ts'
import { nodeOfSession } from './session-id.ts'

/** Serves a request of a session: here, or by the node that holds it. */
export function serveRequest<S>(
  state: EngineState<S>,
  res: HttpResponse,
  method: 'get' | 'post',
  sid: string,
  answer: Reply,
): void {
  let gone = false
  let abort: (() => void) | undefined
  res.onAborted(() => {
    gone = true
    abort?.()
  })
  const reply: Reply = (response) => {
    if (gone) return
    gone = true
    answer(response)
  }
  const owner = ownerOf(state, sid)
  const dispatch = (request: PollRequest) => {
    if (owner === undefined) abort = servePoll(state.polls, request, reply)
    else abort = forward(owner.reach, owner.node, request, reply)
  }
  if (method === 'get') return dispatch({ method: 'GET', sid, body: '' })
  const polling = state.polls.get(sid)?.polling
  if (owner === undefined && polling === undefined) return reply(unknownSession())
  if (polling?.posting) {
    state.polls.get(sid)?.terminate('overlapping posts')
    return reply(badRequest('overlapping posts'))
  }
  if (polling !== undefined) polling.posting = true
  const read = () => {
    if (polling !== undefined) polling.posting = false
  }
  abort = read
  readBody(res, state.maxPayload, (body) => {
    read()
    if (body === undefined) reply(errorResponse(413, 3, 'Payload too large'))
    else dispatch({ method: 'POST', sid, body })
  })
  return undefined
}

/** The other node that holds a session, and the way there; undefined when it can only be here. */
export function ownerOf<S>(state: EngineState<S>, sid: string): { node: string; reach: PollOwner } | undefined {
  const node = nodeOfSession(sid)
  if (state.pollOwner === undefined || node === undefined || node === state.nodeId) return undefined
  return { node, reach: state.pollOwner }
}

function forward(pollOwner: PollOwner, node: string, request: PollRequest, reply: Reply): () => void {
  const controller = new AbortController()
  // Out of reach is gone, for the client: it opens a new session.
  pollOwner(node, request, controller.signal).then(reply, () => reply(errorResponse(400, 1, 'Session out of reach')))
  return () => controller.abort()
}

/** Reads a body of at most `limit` bytes; hands over undefined when it is larger. */
function readBody(res: HttpResponse, limit: number, done: (body: string | undefined) => void): void {
  const chunks: Buffer[] = []
  let size = 0
  res.onData((chunk, isLast) => {
    if (size > limit) return
    size += chunk.byteLength
    if (size > limit) {
      chunks.length = 0
      done(undefined)
      return
    }
    chunks.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) done(Buffer.concat(chunks).toString())
  })
}
