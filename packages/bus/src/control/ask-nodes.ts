import { nodeSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen, type Subscription } from '../listen.ts'
import { readPayload, type Schema } from '../read-payload.ts'

const answerWithinMS = 2_000

interface NodeAnswers<T> {
  answers: { node: string; answer: T }[]
  /** Nodes that did not answer: they are dying, or run a release without this request. */
  silent: string[]
}

/** Sends the same request to each of these realtime nodes in parallel. */
export async function askNodes<T>(
  bus: Bus,
  nodes: readonly string[],
  { request, body, schema }: { request: string; body: object; schema: Schema<T> },
): Promise<NodeAnswers<T>> {
  const replies = await Promise.allSettled(
    nodes.map(async (node) => {
      const subject = nodeSubject(node, request)
      const message = await bus.nats.request(subject, JSON.stringify(body), { timeout: answerWithinMS })
      return { node, answer: readPayload(message, schema) }
    }),
  )
  return {
    answers: replies.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    silent: nodes.filter((_, i) => replies[i]?.status === 'rejected'),
  }
}

/** Answers requests of `askNodes` on a node. */
export function answerNodeRequests<T>(
  bus: Bus,
  node: string,
  { request, schema, answer }: { request: string; schema: Schema<T>; answer: (body: T) => unknown },
): Subscription {
  return listen(bus, nodeSubject(node, request), (message) => {
    message.respond(JSON.stringify(answer(readPayload(message, schema))))
  })
}
