import { startRunning } from '@parley/async/run-every'
import { controlMessage, type NodeAnnouncement, type NodeCommand } from '@parley/contracts/bus/control'
import { allRevocationsSubject, gatewaysSubject, parseRevocationsSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { listen } from '../listen.ts'
import { readPayload } from '../read-payload.ts'
import { announceToNew, numberAnnouncements } from './numbered-announcements.ts'

export const announceEveryMS = 500
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
  const lease = { sinceMS: 0, untilMS: Number.NEGATIVE_INFINITY, losses: -1, isOver: false }
  const say = numberAnnouncements(bus, gatewaysSubject)
  const messages = listen(bus, allRevocationsSubject, (message) => {
    const read = readPayload(message, controlMessage)
    const app = parseRevocationsSubject(message.subject)
    for (const command of read.do === 'several' ? read.commands : [read]) handle(app, command)
    message.respond(node)
  })

  async function announce(): Promise<void> {
    if (!bus.connected) return
    const { losses } = bus
    const saidAtMS = performance.now()
    await say({ node })
    if (losses !== bus.losses) return
    const isGap = performance.now() > lease.untilMS || lease.losses !== losses
    if (isGap) lease.sinceMS = performance.now() + knownAfterMS
    lease.untilMS = saidAtMS + leaseMS
    lease.losses = losses
  }

  const announcing = startRunning(announceEveryMS, announce, onError)
  const toNew = announceToNew(bus, announce, onError)
  return {
    heardSinceMS() {
      const nowMS = performance.now()
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
