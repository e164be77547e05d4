import type { Message } from '../generated/types.ts'
import type { ParleyError } from '../parley-error.ts'

interface Waiting {
  promise: Promise<Message>
  resolve: (message: Message | Promise<never>) => void
}

/** Promises of sends. Awaiting them is optional, since the room's messages show each failure. */
export function createReceipts() {
  const waiting = new Map<string, Waiting>()

  function wait(clientMessageID: string): Promise<Message> {
    const known = waiting.get(clientMessageID)
    if (known) return known.promise
    const receipt = {} as Waiting
    receipt.promise = new Promise((resolve) => {
      receipt.resolve = resolve
    })
    receipt.promise.catch(() => undefined)
    waiting.set(clientMessageID, receipt)
    return receipt.promise
  }

  function fail(clientMessageID: string, error: ParleyError): void {
    waiting.get(clientMessageID)?.resolve(Promise.reject(error))
    waiting.delete(clientMessageID)
  }

  return {
    wait,
    fail,
    arrived(clientMessageID: string, message: Message): void {
      waiting.get(clientMessageID)?.resolve(message)
      waiting.delete(clientMessageID)
    },
    failAll(error: ParleyError): void {
      for (const clientMessageID of waiting.keys()) fail(clientMessageID, error)
    },
    /** The receipt of a send that is not taken. */
    refuse(error: ParleyError): Promise<Message> {
      const refused = wait('')
      fail('', error)
      return refused
    },
  }
}
