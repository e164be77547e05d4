import type { NodeAnnouncement } from '@parley/contracts/bus/control'
import type { Bus } from '../connect.ts'
import { listenToAnnouncements } from './announcements.ts'

/** A node is dropped after this long without an announcement, counted while this process could hear it. */
const nodeGoneAfterMS = 3_500
const tickMS = 1_000
/** A stall of this process this long may leave messages unread. */
const stoodStillMS = 2 * tickMS

/** The live realtime nodes or gateways, by their announcements. */
export interface LiveNodes {
  names(): string[]
  /** Name of each live node and its run ID, since a new process may reuse the name of one that died. */
  runs(): ReadonlyMap<string, string>
  /** A node's last announcement. */
  get(node: string): NodeAnnouncement | undefined
  stop(): void
}

/** Since when this process has run without a long stall, by the monotonic clock. */
interface Running {
  sinceMS(): number
  /** Calls `handle` after each long stall with its duration. */
  onStall: (handle: (forMS: number) => void) => void
  stop(): void
}

export function watchRunning(): Running {
  const handlers: ((forMS: number) => void)[] = []
  let ranAtMS = performance.now()
  let ranSinceMS = 0

  function sinceMS(): number {
    const now = performance.now()
    const passedMS = now - ranAtMS
    ranAtMS = now
    if (passedMS > stoodStillMS) {
      ranSinceMS = now
      for (const handle of handlers) handle(passedMS)
    }
    return ranSinceMS
  }

  const ticking = setInterval(sinceMS, tickMS).unref()
  return { sinceMS, onStall: (handle) => void handlers.push(handle), stop: () => clearInterval(ticking) }
}

/** @param subject of their announcements @param running may be shared; stopped with this */
export function followNodes(bus: Bus, subject: string, running = watchRunning()): LiveNodes {
  const heard = new Map<string, NodeAnnouncement & { atMS: number }>()
  let backAtMS = 0
  const announcements = listenToAnnouncements(bus, subject, (announcement) => {
    if (announcement.leaving) heard.delete(announcement.node)
    else heard.set(announcement.node, { ...announcement, atMS: performance.now() })
  })
  const stopWatching = bus.onBack(() => {
    backAtMS = performance.now()
  })
  const alive = () => {
    // Since when every announcement has been heard.
    const hearsSinceMS = Math.max(running.sinceMS(), backAtMS)
    const oldest = performance.now() - nodeGoneAfterMS
    const isGone = (atMS: number) => bus.connected && Math.max(atMS, hearsSinceMS) < oldest
    for (const [node, { atMS }] of heard) if (isGone(atMS)) heard.delete(node)
    return [...heard]
  }
  return {
    names: () => alive().map(([node]) => node),
    runs: () => new Map(alive().map(([node, { run = '' }]) => [node, run])),
    get: (node) => heard.get(node),
    stop() {
      running.stop()
      stopWatching()
      announcements.unsubscribe()
    },
  }
}
