import { batched } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import type { Wake } from '@parley/async/wake'
import type { Db } from '@parley/db/connect'
import type { CallTry } from '@parley/db/push/documents'
import { type CallToQueue, queueCalls } from '@parley/db/push/outgoing-calls'
import { TargetRefused } from '@parley/wiring/guarded-agent'
import { type SignedCall, signedHeaders } from '@parley/wiring/hook-calls'
import { type Dispatcher, errors, request } from 'undici'
import { connectionReason, retryAfterMS } from '../networks/network.ts'

export type CallOutcome = { lastTry?: CallTry } & (
  | {
      as: 'done'
      answer: string
      /** It was carried out. */
      isAnswered?: boolean
    }
  /** `afterMS` if the server asked for it. */
  | { as: 'again'; reason: string; afterMS?: number }
  /** The server would never accept it. */
  | { as: 'refused'; reason: string }
)

/** Bytes of a response that are kept to be looked at. */
const keptBytes = 1_024

/**
 * One try of a call, signed by the Standard Webhooks scheme (standardwebhooks.com). Never fails: network errors,
 * timeouts, 429 and 5xx are to be retried, other statuses than 2xx are not.
 */
export async function callOnce(dispatcher: Dispatcher, timeoutMS: number, call: SignedCall): Promise<CallOutcome> {
  const at = clock.date()
  const beganMS = performance.now()
  const asTried = (response: Pick<CallTry, 'status' | 'answer'> = {}): { lastTry: CallTry } => ({
    lastTry: { atMS: at.getTime(), durationMS: Math.round(performance.now() - beganMS), ...response },
  })
  try {
    const { statusCode, headers, body } = await request(call.url, {
      method: 'POST',
      dispatcher,
      headers: signedHeaders(call, at),
      body: call.body,
      signal: AbortSignal.timeout(timeoutMS),
    })
    const answer = await textOf(body)
    const tried = asTried({ status: statusCode, answer: firstBytes(answer) })
    if (statusCode >= 200 && statusCode < 300) return { ...tried, as: 'done', answer }
    const reason = String(statusCode)
    if (statusCode !== 429 && statusCode < 500) return { ...tried, as: 'refused', reason }
    const afterMS = retryAfterMS(headers['retry-after'])
    return { ...tried, as: 'again', reason, ...(afterMS !== undefined && { afterMS }) }
  } catch (error) {
    for (let cause = error; cause instanceof Error; cause = cause.cause) {
      if (cause instanceof TargetRefused) return { ...asTried(), as: 'refused', reason: 'private target' }
    }
    return { ...asTried(), as: 'again', reason: connectionReason(error) }
  }
}

/** The text of a response; nothing of one that is too large: its status says whether the call was accepted. */
async function textOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  try {
    return await body.text()
  } catch (error) {
    if (error instanceof errors.ResponseExceededMaxSizeError) return ''
    throw error
  }
}

/** Of a text, without half a character at the end. */
function firstBytes(text: string): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, keptBytes), { stream: true })
}

/** Queues a call to an integrator's server; settles when it is in the database. */
export type QueueCall = (call: CallToQueue) => Promise<void>

/** Concurrent calls share their round trips. */
export function createCallQueue(db: Db, wakeCalls: Wake['up']): QueueCall {
  const queue = batched(
    async (calls: CallToQueue[]) => {
      await queueCalls(db, calls)
      return calls
    },
    { most: 100 },
  )
  return async (call) => {
    await queue(call)
    wakeCalls()
  }
}
