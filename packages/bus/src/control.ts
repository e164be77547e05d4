import { createInbox } from '@nats-io/nats-core'
import { type ControlOrder, controlOrder, nodeAnnouncement } from '@parley/contracts/bus/control'
import { allControlSubject, controlSubject, nodesSubject, parseControlSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from './connect.ts'
import { BusAway } from './publish.ts'
import type { Subscription } from './subscribe.ts'

const announceEveryMS = 1_000
/** A node that has not announced itself for this long is not waited for. */
const nodeGoneAfterMS = 3_500
const confirmWithinMS = 2_000

/** The giving side of control orders: knows which realtime nodes there are, and waits for each to obey. */
export interface Control {
  /**
   * Gives an order to all realtime nodes and settles when each one that is alive has carried it out, so
   * that what the caller answers or publishes afterwards finds it done. Answers the nodes that did not
   * confirm in time (they are dying: their sockets are gone with them).
   * @throws BusAway
   */
  give(app: string, order: ControlOrder): Promise<{ silent: string[] }>
  /** The nodes heard of lately. */
  nodes(): string[]
  stop(): void
}

export function createControl(bus: Bus): Control {
  const lastHeard = new Map<string, number>()
  const announcements = bus.nats.subscribe(nodesSubject, {
    callback: (error, message) => {
      if (error) throw error
      const { node, leaving } = nodeAnnouncement.parse(message.json())
      if (leaving) lastHeard.delete(node)
      else lastHeard.set(node, Date.now())
    },
  })

  function nodes(): string[] {
    const oldest = Date.now() - nodeGoneAfterMS
    for (const [node, heardMS] of lastHeard) if (heardMS < oldest) lastHeard.delete(node)
    return [...lastHeard.keys()]
  }

  async function give(app: string, order: ControlOrder): Promise<{ silent: string[] }> {
    if (!bus.connected) throw new BusAway('NATS is away: a control order cannot be given')
    const waitingFor = new Set(nodes())
    const inbox = createInbox()
    const confirmed = Promise.withResolvers<void>()
    const replies = bus.nats.subscribe(inbox, {
      callback: (_error, message) => {
        waitingFor.delete(message.string())
        if (waitingFor.size === 0) confirmed.resolve()
      },
    })
    bus.nats.publish(controlSubject(app), JSON.stringify(order), { reply: inbox })
    if (waitingFor.size === 0) confirmed.resolve()
    const deadline = setTimeout(confirmed.resolve, confirmWithinMS)
    await Promise.all([confirmed.promise, bus.nats.flush()])
    clearTimeout(deadline)
    replies.unsubscribe()
    return { silent: [...waitingFor] }
  }

  return { give, nodes, stop: () => announcements.unsubscribe() }
}

/**
 * The obeying side, on a realtime node: announces the node each second and handles every order; the
 * order is confirmed when the handler has settled. An order not of the contract is a fault of ours and
 * goes to `onError`, as does a handler that fails: it stays unconfirmed.
 */
export function obeyControl(
  bus: Bus,
  node: string,
  handle: (app: string, order: ControlOrder) => Promise<void>,
  onError: (error: Error) => void,
): Subscription {
  const announce = (leaving?: true) =>
    bus.nats.publish(nodesSubject, JSON.stringify({ node, ...(leaving && { leaving }) }))
  const orders = bus.nats.subscribe(allControlSubject, {
    callback: (error, message) => {
      if (error) return onError(error)
      const parsed = controlOrder.safeParse(message.json())
      if (!parsed.success) return onError(parsed.error)
      handle(parseControlSubject(message.subject), parsed.data).then(() => message.respond(node), onError)
    },
  })
  announce()
  const timer = setInterval(() => {
    if (bus.connected) announce()
  }, announceEveryMS)
  return {
    unsubscribe: () => {
      clearInterval(timer)
      announce(true)
      orders.unsubscribe()
    },
  }
}
