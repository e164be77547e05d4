import type { ControlOrder } from '@parley/contracts/bus/control'
import { newId } from '@parley/db/messages/messages'
import type { PendingEvents } from './change-and-notify.ts'

/** Adds the order to disconnect the sockets of these tokens, on all realtime nodes. */
export function tokensRevoked(
  pending: PendingEvents,
  { app, user }: { app: string; user: string },
  tokens: readonly string[],
  because?: 'banned',
): void {
  if (tokens.length === 0) return
  const id = newId()
  const order: ControlOrder = { do: 'revoked', id, user, tokens: [...tokens], ...(because && { because }) }
  pending.push({ kind: 'order', id, app, json: JSON.stringify(order) })
}
