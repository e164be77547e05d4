import { errors, type Msg } from '@nats-io/nats-core'
import type { Bus } from './connect.ts'

export interface Subscription {
  unsubscribe(): void
}

interface Listening extends Subscription {
  /** Unsubscribes. Settles when everything that the server has sent is handled. */
  drain(): Promise<void>
}

/**
 * Subscribes to a subject, in order of arrival. If NATS was never reached, the subscription starts with the first
 * connection. A message that cannot be read or handled is reported to `onMalformed` and skipped: an error thrown into
 * the NATS client would stop it from reading the connection.
 */
export function listen(bus: Bus, subject: string, handle: (message: Msg) => void): Listening {
  let subscription: Listening | undefined
  let isOver = false
  bus.whenReached((nats) => {
    if (isOver) return
    subscription = nats.subscribe(subject, {
      callback: (error, message) => {
        try {
          if (error) throw error
          handle(message)
        } catch (problem) {
          bus.malformed(problem as Error, error ? subject : message.subject)
        }
      },
    })
  })
  return {
    unsubscribe() {
      isOver = true
      subscription?.unsubscribe()
    },
    async drain() {
      isOver = true
      await subscription?.drain()
    },
  }
}

/** Settles when NATS has every subscription, or is lost: the client then subscribes again when it is back. */
export async function subscribed(bus: Bus): Promise<void> {
  if (!bus.connected) return
  try {
    await bus.nats.flush()
  } catch (error) {
    // "connection disconnected"
    if (!(error instanceof errors.RequestError)) throw error
  }
}
