import type { SentMessage } from '../generated/types.ts'
import { isTransient, ParleyError } from '../parley-error.ts'
import { type PendingSend, toPayload } from './pending-send.ts'

/** Parley dedupes a repeated send for 24 hours. One hour is left for clock skew. */
const dedupedMS = 23 * 3_600_000
/** After this many INTERNAL_ERRORs in a row, the send fails. */
const mostFaults = 5

/**
 * Parley accepts 64 KiB of JSON, here in brackets. It closes a connection that sends far more, so without this check the
 * send would be repeated forever.
 */
const mostChars = 65_538

/**
 * Tries a send once.
 * @throws ParleyError
 */
export async function tryToSend(
  send: PendingSend & { triedAtMS: number },
  emit: (event: 'chat message', payload: object) => Promise<unknown>,
): Promise<SentMessage> {
  if (Date.now() - send.triedAtMS > dedupedMS) {
    throw new ParleyError('OUTCOME_UNKNOWN', 'the message may have arrived: check before you send it again')
  }
  if (JSON.stringify([send.message]).length > mostChars) {
    throw new ParleyError('MESSAGE_TOO_LARGE', 'message is over 64 KiB', 413)
  }
  return (await emit('chat message', toPayload(send))) as SentMessage
}

/** Whether a send has failed for good. After INVALID_TOKEN, the client reconnects with another token. */
export function isFinal(error: ParleyError, faults: number): boolean {
  return (error.code !== 'INVALID_TOKEN' && !isTransient(error)) || faults >= mostFaults
}
