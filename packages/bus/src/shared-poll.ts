import { randomUUID } from 'node:crypto'
import { watchOutage } from '@parley/async/outage'
import { createWake } from '@parley/async/wake'
import { allPollsSubject, pollSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from './connect.ts'
import { listen } from './listen.ts'
import { readPayload, type Schema } from './read-payload.ts'

/** A periodic query of shared state, which one process makes for all. */
interface SharedPoll<T> {
  /** Processes with the same name share their polls. */
  name: string
  schema: Schema<T>
  /** Returns the result for the other processes; undefined if they must poll for themselves. */
  poll: () => Promise<T | undefined>
  /** Whether another process's result lets this one skip its next poll. */
  isEnough: (result: T) => boolean
}

const intervalMS = 900
/** Silence after which another process takes over. */
const takeOverAfterMS = 1_000
/** Spreads the processes, so that one takes over and the others hear of it. */
const jitterMS = 100
/** Each process polls for itself at least this often: the others could be cut off from the primary without knowing. */
const atLeastEveryMS = 20_000

/**
 * Polls at once, and then about once a second until the signal aborts. One process polls and publishes its results on
 * the bus; the others skip their polls while they receive them. If it dies, another takes over. While the bus is away,
 * each polls for itself.
 * @param onError called with the first of similar failures in a row
 */
export async function sharedPoll<T>(
  bus: Bus,
  { name, schema, poll, isEnough }: SharedPoll<T>,
  { onError, signal }: { onError: (error: Error) => void; signal: AbortSignal },
): Promise<void> {
  const own = pollSubject(name, randomUUID())
  const wake = createWake()
  const outage = watchOutage(onError)
  let pollAtMS = 0
  let mustPollAtMS = 0
  const results = listen(bus, allPollsSubject(name), (message) => {
    if (message.subject === own || !isEnough(readPayload(message, schema))) return
    pollAtMS = performance.now() + takeOverAfterMS + Math.random() * jitterMS
    // Sets the timer anew while the process is awake: it would wake the process once a second.
    wake.up()
  })
  while (!signal.aborted) {
    const waitMS = Math.min(pollAtMS, mustPollAtMS) - performance.now()
    if (waitMS > 0) {
      await wake.sleep(waitMS, signal)
      continue
    }
    try {
      const result = await poll()
      mustPollAtMS = performance.now() + atLeastEveryMS * (1 + Math.random() / 2)
      outage.ended()
      if (result !== undefined && bus.connected) bus.nats.publish(own, JSON.stringify(result))
    } catch (error) {
      outage.failed(error as Error)
    }
    // Also pauses after a slow or failed poll.
    pollAtMS = Math.max(pollAtMS, performance.now() + intervalMS)
    mustPollAtMS = Math.max(mustPollAtMS, pollAtMS)
  }
  results.unsubscribe()
}
