import { setTimeout as pause } from 'node:timers/promises'
import type { ControlOrder } from '@parley/contracts/bus/control'
import type { PendingEventsDoc } from '@parley/db/events/pending-events'
import { newId } from '@parley/db/messages/messages'
import { tokenForgottenAfterMS } from '../access/token-memory.ts'
import type { PendingEvents } from './change-and-notify.ts'

/** Adds the order to disconnect the sockets of these tokens, or to give them to another token, on all realtime nodes. */
export function tokensRevoked(
  pending: PendingEvents,
  { app, user }: { app: string; user: string },
  tokens: readonly string[],
  more: Pick<Extract<ControlOrder, { do: 'revoked' }>, 'because' | 'renewedBy'> = {},
): void {
  if (tokens.length === 0) return
  const id = newId()
  const order: ControlOrder = { do: 'revoked', id, user, tokens: [...tokens], ...more }
  pending.push({ kind: 'order', id, app, json: JSON.stringify(order) })
}

/**
 * Publishes the notes of a change. When that ends before its orders hold, and tokens end by one of them, this process may be
 * cut off while gateways that remember the tokens are not: then they are waited for to forget.
 */
export async function waitForExpiry<T>(
  notes: readonly Pick<PendingEventsDoc, 'events'>[],
  publish: (ordered: () => void) => Promise<T>,
  onOrdered: () => void = () => undefined,
): Promise<T> {
  let isOrdered = false
  const ordered = () => {
    isOrdered = true
    onOrdered()
  }
  try {
    return await publish(ordered)
  } finally {
    if (!isOrdered && endTokens(notes)) await pause(tokenForgottenAfterMS)
  }
}

function endTokens(notes: readonly Pick<PendingEventsDoc, 'events'>[]): boolean {
  const orders = notes.flatMap(({ events }) => events).filter(({ kind }) => kind === 'order')
  return orders.some((event) => 'json' in event && (JSON.parse(event.json) as ControlOrder).do === 'revoked')
}
