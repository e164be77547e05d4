import { setTimeout as pause } from 'node:timers/promises'
import { startRunning } from '@parley/async/run-every'
import { controlMessage, type NodeAnnouncement, type NodeCommand } from '@parley/contracts/bus/control'
import { allControlSubject, nodesSubject, parseControlSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { createRecent } from '../events/recent.ts'
import { listen, type Subscription } from '../listen.ts'
import { readPayload } from '../read-payload.ts'
import { announceToNew, numberAnnouncements } from './numbered-announcements.ts'

const announceEveryMS = 1_000

/** The receiver of commands on a realtime node. */
export interface Commands extends Subscription {
  /** Announces the node now; settles when senders of later commands know the announcement. */
  announce(): Promise<void>
}

/**
 * Receives commands on a realtime node: announces the node each second and handles every command; a message is
 * confirmed when the handler has finished for each. A repeated one is confirmed without handling: the opposite may have
 * been sent since. When the handler fails, `onError` is called and the message stays unconfirmed.
 * @param registers whether Redis knows of every user whose socket the node holds: see nodeAnnouncement
 */
export function handleCommands(
  bus: Bus,
  node: string,
  handle: (app: string, command: NodeCommand) => Promise<void>,
  onError: (error: Error) => void,
  registers: () => boolean = () => false,
): Commands {
  const carriedOut = createRecent<Promise<void>>()
  const carryOutOnce = (app: string, command: NodeCommand): Promise<void> => {
    const { id } = command
    if (id === undefined) return handle(app, command)
    const before = carriedOut.get(id)
    if (before) return before
    const work = handle(app, command).catch((error: unknown) => {
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
    const commands = read.do === 'several' ? read.commands : [read]
    // Each begins before the next: the synchronous part of a handler runs in their order.
    Promise.all(commands.map((command) => carryOutOnce(app, command))).then(() => message.respond(node), onError)
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
  const toNew = announceToNew(bus, announceIfConnected, onError)
  return {
    async announce() {
      if (bus.connected) await announce()
    },
    unsubscribe: () => {
      void announcing.stop()
      bus.nats.publish(nodesSubject, JSON.stringify({ node, leaving: true } satisfies NodeAnnouncement))
      messages.unsubscribe()
      toNew.unsubscribe()
    },
  }
}
