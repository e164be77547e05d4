import { startRunning } from '@parley/async/run-every'
import { controlMessage, type NodeAnnouncement, type NodeCommand } from '@parley/contracts/bus/control'
import { allRevocationsSubject, gatewaysSubject, parseRevocationsSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen } from '../listen.ts'
import { readPayload } from '../read-payload.ts'
import { announceToNew, numberAnnouncements } from './numbered-announcements.ts'

export const announceEveryMS = 500
/** Interval of a gateway that neither needs its lease nor publishes events: idle processes wake for each announcement. */
const idleAnnounceEveryMS = 2_000
/** A gateway needs its lease this long after the last token; renewing it takes a second without cached tokens. */
const idleAfterMS = 60_000
/** A gateway's lease expires before senders stop waiting for it, and before they drop a silent gateway. */
const leaseMS = 1_500
/** Every sender has received the first announcement by then. */
const knownAfterMS = 2 * announceEveryMS

/** A gateway's view of token revocations. */
export interface Revocations {
  /**
   * Time (`performance.now()`) since which every command was handled here before its sender's call settled; undefined
   * while that is uncertain.
   */
  heardSinceMS(): number | undefined
  stop(): void
}

/**
 * Handles commands about tokens of all apps, and confirms each. Announces this gateway, so that senders wait for it;
 * its lease runs from the last announcement that NATS accepted.
 * @param node unique name of this gateway
 */
export function watchRevocations(
  bus: Bus,
  node: string,
  handle: (app: string, command: NodeCommand) => void,
  onError: (error: Error) => void,
): Revocations {
  let askedAtMS = performance.now()
  let said = { atMS: Number.NEGATIVE_INFINITY, published: 0 }
  const lease = { sinceMS: 0, untilMS: Number.NEGATIVE_INFINITY, losses: -1, isOver: false }
  const say = numberAnnouncements(bus, gatewaysSubject)
  const messages = listen(bus, allRevocationsSubject, (message) => {
    const read = readPayload(message, controlMessage)
    const app = parseRevocationsSubject(message.subject)
    for (const command of read.do === 'several' ? read.commands : [read]) handle(app, command)
    message.respond(node)
  })

  /** Changes with each event that this gateway publishes. */
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
    // Between idle announcements, new senders do not know this gateway.
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
    stop() {
      lease.isOver = true
      void announcing.stop()
      const leaving: NodeAnnouncement = { node, leaving: true }
      if (bus.connected) bus.nats.publish(gatewaysSubject, JSON.stringify(leaving))
      messages.unsubscribe()
      toNew.unsubscribe()
    },
  }
}
