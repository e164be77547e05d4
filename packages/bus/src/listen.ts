import type { Msg } from '@nats-io/nats-core'
import type { Bus } from './connect.ts'

export interface Subscription {
  unsubscribe(): void
}

interface Listening extends Subscription {
  /** Unsubscribes; settles when everything is handled that the server has sent. */
  drain(): Promise<void>
}

/**
 * Listens to a subject live, from now on and in order of arrival; from the first connection on while NATS was never reached.
 * A message that cannot be read or handled goes to the bus' `onMalformed` and is skipped: an error that reached the NATS
 * client would stop it reading the connection.
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
