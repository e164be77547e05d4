import type { AppendOutcome, RoomAppend } from '@parley/contracts/bus/appends'
import { key } from '@parley/db/keys'
import type { Asked } from './asked-appends.ts'

/**
 * The rooms for which this process waits for another gateway, and what others ask of it meanwhile. While two gateways do not
 * agree who writes a room, each would wait for the other: who is asked for a room that it asks for itself does nothing.
 */
export interface AskedRooms {
  /** What another gateway asks for, as it is to be tried; it is over at the latest when this process asks for that room itself. */
  take(append: RoomAppend, done: (outcome: AppendOutcome) => void): Asked
  /** Waits for the writer of these rooms. */
  askFor<T>(roomKeys: readonly string[], answer: () => Promise<T>): Promise<T>
}

export function createAskedRooms(): AskedRooms {
  const askedFor = new Set<string>()
  const taken = new Map<string, Set<Asked>>()

  return {
    take(append, done) {
      const roomKey = key(append.app, append.room)
      const own = taken.get(roomKey) ?? new Set()
      const asked: Asked = {
        append,
        sinceMS: performance.now(),
        isOver: false,
        done(outcome) {
          if (asked.isOver) return
          asked.isOver = true
          own.delete(asked)
          if (own.size === 0) taken.delete(roomKey)
          done(outcome)
        },
      }
      taken.set(roomKey, own.add(asked))
      if (askedFor.has(roomKey)) asked.done('notWritten')
      return asked
    },
    async askFor(roomKeys, answer) {
      for (const roomKey of roomKeys) {
        askedFor.add(roomKey)
        for (const one of taken.get(roomKey) ?? []) one.done('notWritten')
      }
      try {
        return await answer()
      } finally {
        for (const roomKey of roomKeys) askedFor.delete(roomKey)
      }
    },
  }
}
