import { setTimeout as pause } from 'node:timers/promises'
import { startRunning } from '@parley/async/run-every'
import { type ControlOrder, controlMessage, type NodeAnnouncement } from '@parley/contracts/bus/control'
import { allControlSubject, nodesSubject, parseControlSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { createRecent } from '../events/recent.ts'
import { listen, type Subscription } from '../listen.ts'
import { readPayload } from '../read-payload.ts'
import { announceToNewcomers, numberAnnouncements } from './numbered-announcements.ts'

const announceEveryMS = 1_000

/** The receiver of orders on a realtime node. */
export interface Commands extends Subscription {
  /** Announces the node now; settles when senders of later commands know the announcement. */
  announce(): Promise<void>
}

/**
 * Receives commands on a realtime node: announces the node each second and handles every command; a message is
 * confirmed when the handler has settled for each. A repeated one is confirmed without handling: the opposite may have
 * been given since. When the handler fails, `onError` is called and the message stays unconfirmed.
 * @param registers whether Redis knows of every user whose socket the node holds: see nodeAnnouncement
 */
export function handleCommands(
  bus: Bus,
  node: string,
  handle: (app: string, order: ControlOrder) => Promise<void>,
  onError: (error: Error) => void,
  registers: () => boolean = () => false,
): Commands {
  const carriedOut = createRecent<Promise<void>>()
  const carryOutOnce = (app: string, order: ControlOrder): Promise<void> => {
    const { id } = order
    if (id === undefined) return handle(app, order)
    const before = carriedOut.get(id)
    if (before) return before
    const work = handle(app, order).catch((error: unknown) => {
      carriedOut.delete(id)
      throw error
    })
    carriedOut.set(id, work)
    return work
  }
  const say = numberAnnouncements(bus, nodesSubject)
  const announce = () => say({ node, registers: registers() })
  const messages = listen(bus, allControlSubject, (message) => {
    const read = readPayload(message, controlMessage)
    const app = parseControlSubject(message.subject)
    const orders = read.do === 'several' ? read.orders : [read]
    // Each begins before the next: the synchronous part of a handler runs in their order.
    Promise.all(orders.map((order) => carryOutOnce(app, order))).then(() => message.respond(node), onError)
  })
  const announceIfConnected = async () => {
    if (!bus.connected) return
    const { losses } = bus
    await announce().catch(async (error: unknown) => {
      // The loss of the connection, which fails this, is known a moment later. The node announces itself when it is back.
      await pause(0)
      if (bus.losses === losses) throw error
    })
  }
  const announcing = startRunning(announceEveryMS, announceIfConnected, onError)
  const newcomers = announceToNewcomers(bus, announceIfConnected, onError)
  return {
    async announce() {
      if (bus.connected) await announce()
    },
    unsubscribe: () => {
      void announcing.stop()
      bus.nats.publish(nodesSubject, JSON.stringify({ node, leaving: true } satisfies NodeAnnouncement))
      messages.unsubscribe()
      newcomers.unsubscribe()
    },
  }
}
