import { startRunning } from '@parley/async/run-every'
import { controlMessage, isMove, type NodeAnnouncement, type StaleCommand } from '@parley/contracts/bus/control'
import { allStaleSubject, appOfCommands, cachingSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen } from '../listen.ts'
import { readPayload } from '../read-payload.ts'
import { announceToNew, numberAnnouncements } from './numbered-announcements.ts'

export const announceEveryMS = 500
/** Interval of a process that neither needs its lease nor publishes events: idle processes wake for each announcement. */
const idleAnnounceEveryMS = 2_000
/** A process needs its lease this long after its last use; renewing it takes a second without a cache. */
const idleAfterMS = 60_000
/** A lease expires before senders stop waiting for its process, and before they drop a silent process. */
const leaseMS = 1_500
/** Every sender has received the first announcement by then. */
const knownAfterMS = 2 * announceEveryMS

/** The right of a process to use cached tokens and configuration. */
export interface CacheLease {
  /**
   * Time (`performance.now()`) since which every command was handled here before its sender's call settled; undefined
   * while that is uncertain.
   */
  heardSinceMS(): number | undefined
  /** Calls `handle` with the commands of all apps, before they are confirmed. */
  onStale(handle: (app: string, command: StaleCommand) => void): void
  stop(): void
}

/**
 * Confirms every command that makes tokens or configuration stale. Announces this process, so that senders wait for it;
 * its lease runs from the last announcement that NATS accepted.
 * @param node unique name of this process
 */
export function holdCacheLease(bus: Bus, node: string, onError: (error: Error) => void): CacheLease {
  const handlers: ((app: string, command: StaleCommand) => void)[] = []
  let askedAtMS = performance.now()
  let said = { atMS: Number.NEGATIVE_INFINITY, published: 0 }
  const lease = { sinceMS: 0, untilMS: Number.NEGATIVE_INFINITY, losses: -1, isOver: false }
  const say = numberAnnouncements(bus, cachingSubject)
  const messages = listen(bus, allStaleSubject, (message) => {
    const read = readPayload(message, controlMessage)
    const app = appOfCommands(message.subject)
    for (const command of read.do === 'several' ? read.commands : [read]) {
      if (!isMove(command)) for (const handle of handlers) handle(app, command)
    }
    message.respond(node)
  })

  /** Changes with each event that this process publishes. */
  const published = () => bus.streams.names.reduce((sum, name) => sum + (bus.acknowledged.latest(name)?.seq ?? 0), 0)
  const needsLease = () => performance.now() - askedAtMS < idleAfterMS

  async function announceIfDue(): Promise<void> {
    const isDue = performance.now() - said.atMS > idleAnnounceEveryMS - announceEveryMS / 2
    if (isDue || needsLease() || said.published !== published()) await announce()
  }

  async function announce(): Promise<void> {
    if (!bus.connected) return
    const { losses } = bus
    const saidAtMS = performance.now()
    said = { atMS: saidAtMS, published: published() }
    // Between idle announcements, new senders do not know this process.
    const isRenewed = needsLease()
    await say({ node })
    if (losses !== bus.losses || !isRenewed) return
    const isGap = performance.now() > lease.untilMS || lease.losses !== losses
    if (isGap) lease.sinceMS = performance.now() + knownAfterMS
    lease.untilMS = saidAtMS + leaseMS
    lease.losses = losses
  }

  const announcing = startRunning(announceEveryMS, announceIfDue, onError)
  const toNew = announceToNew(bus, announce, onError)
  return {
    heardSinceMS() {
      const nowMS = performance.now()
      if (!needsLease()) lease.untilMS = Number.NEGATIVE_INFINITY
      askedAtMS = nowMS
      const isHeld = nowMS >= lease.sinceMS && nowMS < lease.untilMS && lease.losses === bus.losses && bus.connected
      return isHeld && !lease.isOver ? lease.sinceMS : undefined
    },
    onStale: (handle) => void handlers.push(handle),
    stop() {
      lease.isOver = true
      void announcing.stop()
      const leaving: NodeAnnouncement = { node, leaving: true }
      if (bus.connected) bus.nats.publish(cachingSubject, JSON.stringify(leaving))
      messages.unsubscribe()
      toNew.unsubscribe()
    },
  }
}
