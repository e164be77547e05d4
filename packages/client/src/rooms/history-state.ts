import type { Timeline } from './timeline.ts'

export interface HistoryState {
  isLoaded: boolean
  isLoading: boolean
  /** Whether `loadOlder()` finds more. */
  hasOlder: boolean
  /** Whether `loadNewer()` finds more: only after `open({ around })`. */
  hasNewer: boolean
}

export const notLoaded: HistoryState = { isLoaded: false, isLoading: false, hasOlder: false, hasNewer: false }

/** How it is now: the same object until something changes. */
export function historyState(before: HistoryState, timeline: Timeline, isLoading: boolean): HistoryState {
  const { isLoaded, isFollowing, low } = timeline
  const now = { isLoaded, isLoading, hasOlder: isLoaded && low > 1, hasNewer: isLoaded && !isFollowing }
  const keys = Object.keys(now) as (keyof HistoryState)[]
  return keys.every((key) => now[key] === before[key]) ? before : now
}
