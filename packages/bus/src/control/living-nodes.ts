import { type NodeAnnouncement, nodeAnnouncement } from '@parley/contracts/bus/control'
import { nodesSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen } from '../listen.ts'
import { readPayload } from '../read-payload.ts'

/** A node is dropped after this long without an announcement, counted while this process could hear it. */
const nodeGoneAfterMS = 3_500
const tickMS = 1_000
/** A stall of this process this long may leave messages unread. */
const stoodStillMS = 2 * tickMS

/** The living realtime nodes or gateways, by their announcements. */
export interface LivingNodes {
  names(): string[]
  /** Name of each living node and its run ID, since a new process may reuse the name of one that died. */
  runs(): ReadonlyMap<string, string>
  /** A node's last announcement. */
  get(node: string): NodeAnnouncement | undefined
  stop(): void
}

/** @param subject of their announcements */
export function followNodes(bus: Bus, subject = nodesSubject): LivingNodes {
  const heard = new Map<string, NodeAnnouncement & { atMS: number }>()
  /** On the monotonic clock: when this process last ran, and since when it has heard every announcement. */
  let ranAtMS = performance.now()
  let hearsSinceMS = 0

  function nowMS(): number {
    const now = performance.now()
    if (now - ranAtMS > stoodStillMS) hearsSinceMS = now
    ranAtMS = now
    return now
  }

  const ticking = setInterval(nowMS, tickMS).unref()
  const announcements = listen(bus, subject, (message) => {
    const said = readPayload(message, nodeAnnouncement)
    if (said.leaving) heard.delete(said.node)
    else heard.set(said.node, { ...said, atMS: performance.now() })
  })
  const stopWatching = bus.onBack(() => {
    hearsSinceMS = performance.now()
  })
  const alive = () => {
    const oldest = nowMS() - nodeGoneAfterMS
    const isGone = (atMS: number) => bus.connected && Math.max(atMS, hearsSinceMS) < oldest
    for (const [node, { atMS }] of heard) if (isGone(atMS)) heard.delete(node)
    return [...heard]
  }
  return {
    names: () => alive().map(([node]) => node),
    runs: () => new Map(alive().map(([node, { run = '' }]) => [node, run])),
    get: (node) => heard.get(node),
    stop() {
      clearInterval(ticking)
      stopWatching()
      announcements.unsubscribe()
    },
  }
}
