import type { ParleyError } from '../parley-error.ts'
import type { Timeline } from './timeline.ts'

export interface HistoryState {
  isLoaded: boolean
  isLoading: boolean
  /** Whether `loadOlder()` finds more. */
  hasOlder: boolean
  /** Whether `loadNewer()` finds more: only after `open({ around })`. */
  hasNewer: boolean
  /** Why the last `open()` failed, until one succeeds. */
  error: ParleyError | undefined
}

export const notLoaded: HistoryState = {
  isLoaded: false,
  isLoading: false,
  hasOlder: false,
  hasNewer: false,
  error: undefined,
}

/** The current state; `before` itself if nothing changed. */
export function historyState(
  before: HistoryState,
  { isLoaded, isFollowing, low }: Timeline,
  { isLoading, error }: Pick<HistoryState, 'isLoading' | 'error'>,
): HistoryState {
  const now = { isLoaded, isLoading, error, hasOlder: isLoaded && low > 1, hasNewer: isLoaded && !isFollowing }
  const keys = Object.keys(now) as (keyof HistoryState)[]
  return keys.every((key) => now[key] === before[key]) ? before : now
}
