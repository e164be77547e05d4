import { batchedWrites } from '@parley/async/batch'
import { clock } from '@parley/async/clock'
import { isUnreachable } from '@parley/async/unreachable'
import type { Wake } from '@parley/async/wake'
import type { Db } from '@parley/db/connect'
import type { CallTry } from '@parley/db/push/documents'
import { type CallToQueue, queueCalls } from '@parley/db/push/outgoing-calls'
import { isTargetRefused } from '@parley/wiring/guarded-agent'
import { type SignedCall, signedHeaders } from '@parley/wiring/hook-calls'
import { type Dispatcher, errors, request } from 'undici'
import { connectionReason, retryAfterMS } from '../networks/network.ts'

export type CallOutcome = { lastTry?: CallTry } & (
  | {
      as: 'done'
      answer: string
      /** The response was applied. */
      isAnswered?: boolean
      /** Why it was not needed any more, and not made. */
      notMade?: string
    }
  /** `afterMS`: from Retry-After. `isUnreached`: there was no connection to the server. */
  | { as: 'again'; reason: string; afterMS?: number; isUnreached?: boolean }
  /** Not retried. */
  | { as: 'refused'; reason: string }
)

/** Node.js' codes for certificates that it does not accept (nodejs.org/api/tls.html#x509-certificate-error-codes). */
const refusedByUs = /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_)/

const keptBytes = 1_024

/**
 * Attempts a call once, signed by the Standard Webhooks scheme (standardwebhooks.com). Never throws: network errors,
 * timeouts, 429 and 5xx are retried, all other non-2xx statuses are not.
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
    if (isTargetRefused(error)) return { ...asTried(), as: 'refused', reason: 'private target' }
    const reason = connectionReason(error)
    return { ...asTried(), as: 'again', reason, isUnreached: isUnreachable(error) || refusedByUs.test(reason) }
  }
}

/** The text of a response; empty if it is too large, since the status tells whether the call was accepted. */
async function textOf(body: Dispatcher.ResponseData['body']): Promise<string> {
  try {
    return await body.text()
  } catch (error) {
    if (error instanceof errors.ResponseExceededMaxSizeError) return ''
    throw error
  }
}

function firstBytes(text: string): string {
  return new TextDecoder().decode(Buffer.from(text).subarray(0, keptBytes), { stream: true })
}

/** Queues a call to an integrator's server; settles when it is in the database. */
export type QueueCall = (call: CallToQueue) => Promise<void>

/** Concurrent calls share their round trips. */
export function createCallQueue(db: Db, wakeCalls: Wake['up']): QueueCall {
  const queue = batchedWrites((calls: CallToQueue[]) => queueCalls(db, calls), { max: 100 })
  return async (call) => {
    await queue(call)
    wakeCalls()
  }
}
