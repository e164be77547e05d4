import type { Message } from '../generated/types.ts'
import type { ParleyError } from '../parley-error.ts'

interface Waiting {
  promise: Promise<Message>
  resolve: (message: Message) => void
  reject: (error: ParleyError) => void
}

/** Promises of sends. Awaiting them is optional, since the room's messages show each failure. */
export function createReceipts() {
  const waiting = new Map<string, Waiting>()

  function begin(): Waiting {
    const receipt = {} as Waiting
    receipt.promise = new Promise((resolve, reject) => {
      Object.assign(receipt, { resolve, reject })
    })
    receipt.promise.catch(() => undefined)
    return receipt
  }

  return {
    wait(clientMessageID: string): Promise<Message> {
      const receipt = waiting.get(clientMessageID) ?? begin()
      waiting.set(clientMessageID, receipt)
      return receipt.promise
    },
    arrived(clientMessageID: string, message: Message): void {
      waiting.get(clientMessageID)?.resolve(message)
      waiting.delete(clientMessageID)
    },
    fail(clientMessageID: string, error: ParleyError): void {
      waiting.get(clientMessageID)?.reject(error)
      waiting.delete(clientMessageID)
    },
    failAll(error: ParleyError): void {
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    },
  }
}
