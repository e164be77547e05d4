import type { Bus } from '@parley/bus/connect'
import { requestHeaders } from '@parley/bus/request-headers'
import { nodeSubject } from '@parley/contracts/bus/subjects'
import type { PollResponse } from '@parley/socketio/answer'
import type { PollOwner } from '@parley/socketio/poll-owner'
import type { PollRequest } from '@parley/socketio/serve-poll'
import { nanoid } from 'nanoid'

const lookAfterNodesEveryMS = 1_000
/** Bodies travel as they are, all else about a poll in one header: a body within its limit fits into a bus message. */
const header = 'Parley-Poll'

type AskedOf = { id: string } & Omit<PollRequest, 'body'>
type Answered = Omit<PollResponse, 'body'>

/** Reaches the node that owns a polling session, by the bus. */
export interface PollOwners {
  reach: PollOwner
  stop(): void
}

/**
 * @param waitMS how long a poll may wait for something to tell: a heartbeat comes before that
 * @param nodes the realtime nodes that are alive; a poll of one that is no more fails at once
 */
export function createPollOwners(bus: Bus, waitMS: number, nodes: () => string[]): PollOwners {
  const underWay = new Map<string, { node: string; seen: boolean; fail: (error: Error) => void }>()
  const timer = setInterval(() => {
    if (underWay.size === 0) return
    const alive = new Set(nodes())
    for (const asked of underWay.values()) {
      // A process that has just started has not heard of everybody yet.
      if (alive.has(asked.node)) asked.seen = true
      else if (asked.seen) asked.fail(new Error(`${asked.node} is gone`))
    }
  }, lookAfterNodesEveryMS)

  const reach: PollOwner = async (node, { body, ...asked }, signal) => {
    const id = nanoid()
    const gone = () => bus.nats.publish(nodeSubject(node, 'poll-gone'), id)
    const lost = Promise.withResolvers<never>()
    underWay.set(id, { node, seen: false, fail: lost.reject })
    signal.addEventListener('abort', gone, { once: true })
    try {
      const headers = requestHeaders(header, { id, ...asked } satisfies AskedOf)
      const request = bus.nats.request(nodeSubject(node, 'poll'), body, { timeout: waitMS, headers })
      const answer = await Promise.race([request, lost.promise])
      const answered = JSON.parse(answer.headers?.get(header) ?? '') as Answered
      return { ...answered, body: answer.string() }
    } finally {
      underWay.delete(id)
      signal.removeEventListener('abort', gone)
    }
  }
  return { reach, stop: () => clearInterval(timer) }
}

/** Serves the polls of this node's sessions that arrived at other nodes. */
export function servePolls(
  bus: Bus,
  node: string,
  serve: (request: PollRequest, signal: AbortSignal) => Promise<PollResponse>,
  onError: (error: Error) => void,
): { unsubscribe(): void } {
  const underWay = new Map<string, AbortController>()
  const polls = bus.nats.subscribe(nodeSubject(node, 'poll'), {
    callback: (error, message) => {
      if (error) return onError(error)
      const { id, ...asked } = JSON.parse(message.headers?.get(header) ?? '') as AskedOf
      const requester = new AbortController()
      underWay.set(id, requester)
      serve({ ...asked, body: message.string() }, requester.signal)
        .then(({ body, ...answered }) => message.respond(body, { headers: requestHeaders(header, answered) }))
        .catch(onError)
        .finally(() => underWay.delete(id))
    },
  })
  const gone = bus.nats.subscribe(nodeSubject(node, 'poll-gone'), {
    callback: (error, message) => {
      if (error) return onError(error)
      underWay.get(message.string())?.abort()
    },
  })
  return {
    unsubscribe: () => {
      polls.unsubscribe()
      gone.unsubscribe()
    },
  }
}
