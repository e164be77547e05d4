import type { SentMessage } from '../generated/types.ts'
import { isPassing, ParleyError } from '../parley-error.ts'
import { type PendingSend, toPayload } from './pending-send.ts'

/** Parley recognises a repeated send for 24 hours; an hour is for clocks that differ. */
const recognisedMS = 23 * 3_600_000
/** A fault of the server is not the message's: until it has come so often. */
const mostFaults = 5

/**
 * One try of a send.
 * @throws ParleyError
 */
export async function tryToSend(
  send: PendingSend & { triedAtMS: number },
  emit: (event: 'chat message', payload: object) => Promise<unknown>,
): Promise<SentMessage> {
  if (Date.now() - send.triedAtMS > recognisedMS) {
    throw new ParleyError('OUTCOME_UNKNOWN', 'it may have arrived: look before you send it again')
  }
  return (await emit('chat message', toPayload(send))) as SentMessage
}

/** Whether a send has failed for good. After INVALID_TOKEN the connection ends, and comes back with another token. */
export function isFinal(error: ParleyError, faults: number): boolean {
  return (error.code !== 'INVALID_TOKEN' && !isPassing(error)) || faults >= mostFaults
}
