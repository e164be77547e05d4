import { nodeSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen, type Subscription } from '../listen.ts'

/** A zod schema. */
interface Schema<T> {
  parse(value: unknown): T
}

const answerWithinMS = 2_000

export interface NodeAnswers<T> {
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
  const asked = await Promise.allSettled(
    nodes.map(async (node) => {
      const subject = nodeSubject(node, request)
      const message = await bus.nats.request(subject, JSON.stringify(body), { timeout: answerWithinMS })
      return { node, answer: schema.parse(message.json()) }
    }),
  )
  return {
    answers: asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
    silent: nodes.filter((_, i) => asked[i]?.status === 'rejected'),
  }
}

/** Answers requests of `askNodes` on a node. */
export function answerNodeRequests<T>(
  bus: Bus,
  node: string,
  { request, schema, answer }: { request: string; schema: Schema<T>; answer: (body: T) => unknown },
): Subscription {
  return listen(bus, nodeSubject(node, request), (message) => {
    message.respond(JSON.stringify(answer(schema.parse(message.json()))))
  })
}
