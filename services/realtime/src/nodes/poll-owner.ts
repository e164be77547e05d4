import { createSweep } from '@parley/async/sweep'
import type { Bus } from '@parley/bus/connect'
import { listen } from '@parley/bus/listen'
import { requestHeaders } from '@parley/bus/request-headers'
import { nodeSubject } from '@parley/contracts/bus/subjects'
import { outOfReach } from '@parley/socketio/polling/answer'
import type { PollOwner, PollRequest, PollResponse } from '@parley/socketio/polling/poll-owner'
import { nanoid } from 'nanoid'
import { z } from 'zod'

const checkNodesEveryMS = 1_000
/** Longer than a node takes to notice that the bus is back. */
const repeatGoneMS = 10_000
/** How long it can take a newly connected process to hear of every node. */
const allNodesKnownAfterMS = 2_500
/** Timeout of every request except a poll. */
const answerWithinMS = 5_000
/** Bodies travel unchanged and everything else in one header, so a body within its limit fits into a bus message. */
const header = 'Parley-Poll'

const pollHeader = z.object({
  id: z.string().max(64),
  method: z.enum(['GET', 'POST', 'HOLDS', 'PROBE', 'TAKE', 'PUSH']),
  sid: z.string().max(64),
  poll: z.string().max(64).optional(),
  via: z.string().max(64).optional(),
}) satisfies z.ZodType<{ id: string } & Omit<PollRequest, 'body'>>
type AnswerHeader = Omit<PollResponse, 'body'>

/** A request in flight. `run` belongs to its node. */
interface InFlight {
  node: string
  method: PollRequest['method']
  run: string | undefined
  fail: (error: Error) => void
}

/** Reaches the node that owns a polling session over the bus. */
interface PollOwners extends PollOwner {
  /** The bus was away: earlier requests get no reply, and the live nodes must be learnt again. */
  busIsBack(): void
  stop(): void
}

/**
 * @param waitMS how long a poll may wait for packets: longer than until the next heartbeat
 * @param nodes the live realtime nodes, each with the name of its run; a poll of a dead one fails at once
 */
export function createPollOwners(bus: Bus, waitMS: number, nodes: () => ReadonlyMap<string, string>): PollOwners {
  const inFlight = new Map<string, InFlight>()
  /** Sessions with WebSockets closed while the bus was away. */
  const gone = new Map<string, { node: string; untilMS: number }>()
  let listeningSinceMS = performance.now()
  let isStopping = false
  const checkNodes = createSweep(checkNodesEveryMS, () => {
    publishGone()
    const alive = nodes()
    for (const request of inFlight.values()) {
      const run = alive.get(request.node)
      request.run ??= run
      // Another process may have its name by now.
      if (request.run !== run) request.fail(new Error(`${request.node} is gone`))
    }
    return inFlight.size + gone.size > 0
  })

  /** Repeated, since an owner that returns to the bus after this node misses the first one. */
  function publishGone(): void {
    const nowMS = performance.now()
    for (const [id, { node, untilMS }] of gone) {
      if (untilMS < nowMS) gone.delete(id)
      else if (bus.connected) bus.nats.publish(nodeSubject(node, 'poll-gone'), id)
    }
  }

  /** Until all nodes are known, an unknown one may be alive: the bus reports at once when there is no receiver. */
  function isAlive(node: string): boolean {
    return performance.now() - listeningSinceMS < allNodesKnownAfterMS || nodes().has(node)
  }

  const reach: PollOwner['reach'] = async (node, { body, ...request }, signal) => {
    if (!bus.connected) throw new Error('NATS is away')
    const id = nanoid()
    // A stopping node is like a dead one: the client's next poll, at another node, gets the waiting packets.
    const giveUp = () => !isStopping && bus.nats.publish(nodeSubject(node, 'poll-gone'), id)
    const lost = Promise.withResolvers<never>()
    inFlight.set(id, { node, method: request.method, run: nodes().get(node), fail: lost.reject })
    checkNodes.begin()
    signal.addEventListener('abort', giveUp, { once: true })
    try {
      const headers = requestHeaders(header, { id, ...request } satisfies z.infer<typeof pollHeader>)
      const timeout = request.method === 'GET' || request.method === 'TAKE' ? waitMS : answerWithinMS
      const reply = bus.nats.request(nodeSubject(node, 'poll'), body, { timeout, headers })
      const answer = await Promise.race([reply, lost.promise])
      const answered = JSON.parse(answer.headers?.get(header) ?? '') as AnswerHeader
      return { ...answered, body: answer.string() }
    } finally {
      inFlight.delete(id)
      signal.removeEventListener('abort', giveUp)
    }
  }
  return {
    isAlive,
    reach,
    busIsBack: () => {
      listeningSinceMS = performance.now()
      for (const [id, { node, method, fail }] of inFlight) {
        // The client's WebSocket is closed: the owner need not wait for a heartbeat to notice.
        if (method === 'TAKE') gone.set(id, { node, untilMS: performance.now() + repeatGoneMS })
        fail(new Error('NATS was away'))
      }
      publishGone()
      checkNodes.begin()
    },
    stop() {
      isStopping = true
      checkNodes.stop()
    },
  }
}

/** Serves the polls of this node's sessions that arrived at other nodes. */
export function servePolls(
  bus: Bus,
  node: string,
  serve: (request: PollRequest, signal: AbortSignal) => Promise<PollResponse>,
  onError: (error: Error) => void,
): { unsubscribe(): void } {
  const inFlight = new Map<string, AbortController>()
  const polls = listen(bus, nodeSubject(node, 'poll'), (message) => {
    const { id, ...request } = pollHeader.parse(JSON.parse(message.headers?.get(header) ?? ''))
    const requester = new AbortController()
    inFlight.set(id, requester)
    const respond = ({ body, ...answered }: PollResponse) =>
      message.respond(body, { headers: requestHeaders(header, answered) })
    serve({ ...request, body: message.string() }, requester.signal)
      .then(respond)
      .catch((error: Error) => {
        onError(error)
        // As when the packets are too large for the bus: the poll need not wait.
        respond(outOfReach())
      })
      .catch(onError)
      .finally(() => inFlight.delete(id))
  })
  const gone = listen(bus, nodeSubject(node, 'poll-gone'), (message) => {
    inFlight.get(message.string())?.abort()
  })
  return {
    unsubscribe: () => {
      polls.unsubscribe()
      gone.unsubscribe()
    },
  }
}
