import { type NodeAnnouncement, nodeAnnouncement } from '@parley/contracts/bus/control'
import { nodesSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen } from '../listen.ts'
import { readPayload } from '../read-payload.ts'

/** Nobody waits for a node that has not announced itself for this long, while it could have been heard. */
const nodeGoneAfterMS = 3_500

/** The realtime nodes, or gateways, that are alive, by what they announce. */
export interface LivingNodes {
  names(): string[]
  /** The same, with what names the run of each: another process may get the name of one that died. */
  runs(): ReadonlyMap<string, string>
  /** What a node last said of itself. */
  get(node: string): NodeAnnouncement | undefined
  stop(): void
}

/** @param subject where they announce themselves */
export function followNodes(bus: Bus, subject = nodesSubject): LivingNodes {
  /** By a clock that nobody sets. */
  const heard = new Map<string, NodeAnnouncement & { atMS: number }>()
  const announcements = listen(bus, subject, (message) => {
    const said = readPayload(message, nodeAnnouncement)
    if (said.leaving) heard.delete(said.node)
    else heard.set(said.node, { ...said, atMS: performance.now() })
  })
  let backAtMS = 0
  const stopWatching = bus.onBack(() => {
    backAtMS = performance.now()
  })
  const alive = () => {
    const oldest = performance.now() - nodeGoneAfterMS
    const isGone = (atMS: number) => bus.connected && Math.max(atMS, backAtMS) < oldest
    for (const [node, { atMS }] of heard) if (isGone(atMS)) heard.delete(node)
    return [...heard]
  }
  return {
    names: () => alive().map(([node]) => node),
    runs: () => new Map(alive().map(([node, { run = '' }]) => [node, run])),
    get: (node) => heard.get(node),
    stop() {
      stopWatching()
      announcements.unsubscribe()
    },
  }
}
