import type { OutgoingCallDoc } from '@parley/db/push/documents'
import { LRUCache } from 'lru-cache'
import { pauseMS } from '../networks/network.ts'
import type { CallOutcome } from './outgoing-call.ts'

/** Calls of one kind in flight to one server; fewer after a failure. */
export const maxPerTarget = 100
const maxPerFailing = 2
/** One push can fail by itself; as many different ones in a row mean that PUSH_GENERIC is down. */
const downAfter = 3
const longestPauseMS = 30_000

interface Failing {
  /** The queues with failed tries, up to `downAfter`. */
  queues: Set<string>
  /** Pauses so far; the target counts as down after the first. */
  pauses: number
  isPaused: boolean
}

export interface TargetStates {
  /** How many queues of a target this process may work on at once. */
  max: (target: string) => number
  /** Called after each attempt. */
  tried: (call: Pick<OutgoingCallDoc, 'target' | 'queue' | 'kind'>, outcome: CallOutcome) => void
}

/**
 * Circuit breakers by target. Calls to a server that is down share their attempts: one is made after each pause, and the
 * others wait until one succeeds. A server is down if it cannot be reached. A webhook that answers with an error fails
 * alone, since each room has its own; PUSH_GENERIC is one URL.
 *
 * @param onDown called at the begin of each pause, with their number
 * @param onProbe called when a target may be tried again
 */
export function createTargetStates(
  onDown: (target: string, reason: string, pauses: number) => void,
  onProbe: () => void,
): TargetStates {
  const failing = new LRUCache<string, Failing>({ max: 10_000 })

  function pause(target: string, state: Failing, reason: string): void {
    state.isPaused = true
    const ms = Math.min(pauseMS(state.pauses++), longestPauseMS)
    setTimeout(() => {
      state.isPaused = false
      onProbe()
    }, ms).unref()
    onDown(target, reason, state.pauses)
  }

  return {
    max(target) {
      const state = failing.get(target)
      if (!state) return maxPerTarget
      if (state.isPaused) return 0
      return state.pauses > 0 ? 1 : maxPerFailing
    },
    tried({ target, queue, kind }, outcome) {
      // Dropped without an attempt: the server may still be down.
      if (!outcome.lastTry) return
      if (outcome.as !== 'again') {
        failing.delete(target)
        return
      }
      const state = failing.get(target) ?? { queues: new Set(), pauses: 0, isPaused: false }
      failing.set(target, state)
      // The attempt began before the pause.
      if (state.isPaused) return
      if (state.queues.size < downAfter) state.queues.add(queue)
      const isDown = outcome.isUnreached || (kind === 'push' && state.queues.size === downAfter)
      if (isDown) pause(target, state, outcome.reason)
    },
  }
}
