import { randomUUID } from 'node:crypto'
import { createWake } from '@parley/async/wake'
import { allLooksSubject, lookSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from './connect.ts'
import { listen } from './listen.ts'
import { readPayload, type Schema } from './read-payload.ts'

/** A periodic look at shared state, which one process does for all. */
export interface SharedLook<T> {
  /** Processes with the same name share their looks. */
  name: string
  schema: Schema<T>
  /** Returns the result for the other processes; undefined if they must look for themselves. */
  look: () => Promise<T | undefined>
  /** Whether another process's result lets this one skip its next look. */
  isEnough: (result: T) => boolean
}

/** Interval between looks. */
const everyMS = 900
/** Silence after which another process takes over the looks. */
const takeOverAfterMS = 1_000
/** Spreads the processes, so that one takes over and the others hear of it. */
const jitterMS = 100
/** Each process looks for itself at least this often: the others could be cut off from the primary without knowing. */
const atLeastEveryMS = 20_000

/**
 * Looks at once, and then about once a second until the signal aborts, at something that many processes watch. One
 * process looks and publishes its results on the bus; the others put off their turns while they hear of it. If it dies,
 * another takes over. While the bus is away, each looks for itself.
 */
export async function lookInTurns<T>(
  bus: Bus,
  { name, schema, look, isEnough }: SharedLook<T>,
  { onError, signal }: { onError: (error: Error) => void; signal: AbortSignal },
): Promise<void> {
  const own = lookSubject(name, randomUUID())
  const wake = createWake()
  let lookAtMS = 0
  let mustLookAtMS = 0
  const heard = listen(bus, allLooksSubject(name), (message) => {
    if (message.subject === own || !isEnough(readPayload(message, schema))) return
    lookAtMS = performance.now() + takeOverAfterMS + Math.random() * jitterMS
    // Sets the timer anew while the process is awake: it would wake the process once a second.
    wake.up()
  })
  while (!signal.aborted) {
    const waitMS = Math.min(lookAtMS, mustLookAtMS) - performance.now()
    if (waitMS > 0) {
      await wake.sleep(waitMS, signal)
      continue
    }
    try {
      const result = await look()
      mustLookAtMS = performance.now() + atLeastEveryMS * (1 + Math.random() / 2)
      if (result !== undefined && bus.connected) bus.nats.publish(own, JSON.stringify(result))
    } catch (error) {
      onError(error as Error)
    }
    // Also pauses after a slow or failed look.
    lookAtMS = Math.max(lookAtMS, performance.now() + everyMS)
    mustLookAtMS = Math.max(mustLookAtMS, lookAtMS)
  }
  heard.unsubscribe()
}
