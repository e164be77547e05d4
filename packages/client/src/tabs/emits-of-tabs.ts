import type { Look } from './browser.ts'
import { createSharedWatches } from './shared-watches.ts'

interface EmitsOptions {
  emit: (event: string, payload: unknown) => Promise<unknown>
  /** Calls `then` when another tab is gone. */
  whenGone: (tab: string, then: () => void) => void
  /** Whether to report the user as away while no tab is visible. */
  reportsAway: boolean
}

/** A tab's state until it reports another. */
const visible: Look = { isVisible: true, isLookedAt: false }

/**
 * The emits of all tabs on one connection.
 * @param self this tab's ID
 */
export function createEmitsOfTabs(self: string, { emit, whenGone, reportsAway }: EmitsOptions) {
  const looks = new Map<string, Look>()
  const watches = createSharedWatches(emit)
  const reported = new Map<string, { message: string; outcome: Promise<unknown> }>()
  let isAway = false

  function meet(tab: string, look = visible): void {
    const isNew = !looks.has(tab)
    looks.set(tab, look)
    if (!isNew || tab === self) return
    whenGone(tab, () => {
      looks.delete(tab)
      watches.gone(tab)
      reportAway()
    })
  }

  /** Dedupes delivery reports, since every tab reports the same messages. */
  function reportDelivered(payload: { room: string; message: string }): Promise<unknown> {
    const { room, message } = payload
    const before = reported.get(room)
    if (before?.message === message) return before.outcome
    const outcome = emit('delivered', payload)
    reported.set(room, { message, outcome })
    outcome.catch(() => reported.delete(room))
    return outcome
  }

  function reportAway(): void {
    const away = ![...looks.values()].some(({ isVisible }) => isVisible)
    if (!reportsAway || away === isAway) return
    isAway = away
    emit('away', { away }).catch(() => undefined)
  }

  return {
    async emit(tab: string, event: string, payload: unknown) {
      meet(tab, looks.get(tab))
      if (event === 'presence subscribe') return watches.subscribe(tab, payload)
      if (event === 'presence unsubscribe') return watches.unsubscribe(tab, payload)
      if (event === 'delivered') return reportDelivered(payload as { room: string; message: string })
      return emit(event, payload)
    },
    look(tab: string, look: Look) {
      meet(tab, look)
      reportAway()
    },
    /** Whether the user looks at one of the tabs. */
    isLookedAt: () => [...looks.values()].some(({ isLookedAt }) => isLookedAt),
    /** A new login has no watches and is not away. */
    loggedIn() {
      isAway = false
      reported.clear()
      watches.clear()
      reportAway()
    },
  }
}
export type EmitsOfTabs = ReturnType<typeof createEmitsOfTabs>
