import { type NodeAnnouncement, nodeAnnouncement } from '@parley/contracts/bus/control'
import { nodesSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen } from '../listen.ts'
import { readPayload } from '../read-payload.ts'

/** A node that has not announced itself for this long, while it could have been heard, is not waited for. */
const nodeGoneAfterMS = 3_500
const tickMS = 1_000
/** After a stall of this process this long, messages may be unread. */
const stoodStillMS = 2 * tickMS

/** The living realtime nodes, or gateways, by their announcements. */
export interface LivingNodes {
  names(): string[]
  /** The same, with the name of each run: another process may get the name of one that died. */
  runs(): ReadonlyMap<string, string>
  /** A node's last announcement. */
  get(node: string): NodeAnnouncement | undefined
  stop(): void
}

/** @param subject where they announce themselves */
export function followNodes(bus: Bus, subject = nodesSubject): LivingNodes {
  const heard = new Map<string, NodeAnnouncement & { atMS: number }>()
  /** By a monotonic clock: when this process last ran, and since when it can have heard all others. */
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
