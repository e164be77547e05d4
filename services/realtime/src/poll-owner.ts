import type { Bus } from '@parley/bus/connect'
import { nodeSubject } from '@parley/contracts/bus/subjects'
import type { PollResponse } from '@parley/socketio/answer'
import type { PollOwner } from '@parley/socketio/poll-owner'
import type { PollRequest } from '@parley/socketio/serve-poll'
import { nanoid } from 'nanoid'

/** Longer than a poll waits for something to tell. */
const pollTimeoutMS = 60_000

/** Reaches the node that owns a polling session, by the bus. */
export function createPollOwner(bus: Bus): PollOwner {
  return async (node, request, signal) => {
    const id = nanoid()
    const gone = () => bus.nats.publish(nodeSubject(node, 'poll-gone'), id)
    signal.addEventListener('abort', gone, { once: true })
    try {
      const payload = JSON.stringify({ id, request })
      const answer = await bus.nats.request(nodeSubject(node, 'poll'), payload, { timeout: pollTimeoutMS })
      return answer.json<PollResponse>()
    } finally {
      signal.removeEventListener('abort', gone)
    }
  }
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
      const { id, request } = message.json<{ id: string; request: PollRequest }>()
      const requester = new AbortController()
      underWay.set(id, requester)
      serve(request, requester.signal)
        .then((response) => message.respond(JSON.stringify(response)), onError)
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
