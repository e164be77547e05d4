import { defined } from '@parley/contracts/defined'
import type { FailedWebhook, WebhookDelivery } from '@parley/contracts/resources/webhook'
import type { OutgoingCallDoc } from '@parley/db/push/documents'
import type { AuthenticatedIntegrator } from '../access/caller.ts'

/** The fields of a call in every list. */
export function callFields(
  call: Omit<OutgoingCallDoc, 'data'>,
): Omit<FailedWebhook, 'data' | 'lastError' | 'failedAt'> {
  return {
    id: call._id,
    kind: call.kind,
    roomID: call.room,
    clientID: call.client,
    event: call.event,
    tries: call.tries,
    createdAtMS: call.createdAtMS,
  }
}

/** A call to an integrator's server, without its data (docs/reference/resources.md#webhookdelivery). */
export function toDeliveryView(call: Omit<OutgoingCallDoc, 'data'>): WebhookDelivery {
  const { status, answer, durationMS, atMS } = call.lastTry ?? {}
  return {
    ...callFields(call),
    state: call.state,
    ...defined({ status, answer, durationMS, lastTryAtMS: atMS, lastError: call.lastError }),
  }
}

/** In a list: operators give no reason there, and the answer of a server can be what a robot says in the room. */
export function toListedDelivery(caller: AuthenticatedIntegrator) {
  return (call: Omit<OutgoingCallDoc, 'data'>): WebhookDelivery => {
    const { answer, ...others } = toDeliveryView(call)
    return { ...others, ...(answer !== undefined && !('operator' in caller) && { answer }) }
  }
}
