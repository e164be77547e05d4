import { randomUUID } from 'node:crypto'
import { createWake } from '@parley/async/wake'
import { allLooksSubject, lookSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from './connect.ts'
import { listen } from './listen.ts'
import { readPayload, type Schema } from './read-payload.ts'

/** A look that one process does for all. */
export interface SharedLook<T> {
  /** The same for processes that see the same. */
  name: string
  schema: Schema<T>
  /** Returns the outcome for the others; undefined if they have to look for themselves. */
  look: () => Promise<T | undefined>
  /** Whether the look of another process spares this one its next. */
  isEnough: (said: T) => boolean
}

/** Milliseconds between two looks of all processes together. */
const everyMS = 800
/** Spreads the processes, so that one looks and the others hear of it. */
const jitterMS = 200
/** However much is heard of others, a process looks for itself: they could be cut off from the primary and not know it. */
const atLeastEveryMS = 20_000

/**
 * Looks at once, and then about once a second, at something that many processes look at, until the signal aborts. Each tells
 * the others over the bus, and is spared its turn when it hears of a look: however many there are, one looks. If that one
 * dies, the next turn is another's; while the bus is away, each looks for itself.
 */
export async function lookInTurns<T>(
  bus: Bus,
  { name, schema, look, isEnough }: SharedLook<T>,
  { onError, signal }: { onError: (error: Error) => void; signal: AbortSignal },
): Promise<void> {
  const own = lookSubject(name, randomUUID())
  const nextTurnMS = () => performance.now() + everyMS + Math.random() * jitterMS
  const wake = createWake()
  let lookAtMS = 0
  let mustLookAtMS = 0
  const heard = listen(bus, allLooksSubject(name), (message) => {
    if (message.subject !== own && isEnough(readPayload(message, schema))) lookAtMS = nextTurnMS()
  })
  while (!signal.aborted) {
    const waitMS = Math.min(lookAtMS, mustLookAtMS) - performance.now()
    if (waitMS > 0) {
      await wake.sleep(waitMS, signal)
      continue
    }
    lookAtMS = nextTurnMS()
    try {
      const said = await look()
      mustLookAtMS = performance.now() + atLeastEveryMS * (1 + Math.random() / 2)
      if (said !== undefined && bus.connected) bus.nats.publish(own, JSON.stringify(said))
    } catch (error) {
      onError(error as Error)
    }
    // After a slow look too, and never at once after a failed one.
    lookAtMS = Math.max(lookAtMS, nextTurnMS())
    mustLookAtMS = Math.max(mustLookAtMS, lookAtMS)
  }
  heard.unsubscribe()
}
