import { setTimeout as pause } from 'node:timers/promises'
import { startRunning } from '@parley/async/run-every'
import { controlMessage, type NodeAnnouncement, type NodeCommand } from '@parley/contracts/bus/control'
import { allControlSubject, appOfCommands, nodesSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { createRecent } from '../events/recent.ts'
import { listen, type Subscription } from '../listen.ts'
import { readPayload } from '../read-payload.ts'
import { announceToNew, numberAnnouncements } from './numbered-announcements.ts'

const announceEveryMS = 1_000

/** Receives commands on a realtime node. */
export interface Commands extends Subscription {
  /** Announces the node now. Settles when NATS has the announcement, so that senders of later commands know it. */
  announce(): Promise<void>
}

/**
 * Receives commands on a realtime node, and announces the node each second. A message is confirmed when each of its
 * commands has been handled. A repeated command is confirmed without handling it again, since the opposite may have
 * been sent since. If the handler fails, `onError` is called and the message stays unconfirmed.
 * @param registers whether Redis knows every user with a socket on this node; see nodeAnnouncement
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
    const app = appOfCommands(message.subject)
    const commands = read.do === 'several' ? read.commands : [read]
    // Handlers start in order, so their synchronous parts run in order.
    Promise.all(commands.map((command) => carryOutOnce(app, command))).then(() => message.respond(node), onError)
  })
  const announceIfConnected = async () => {
    if (!bus.connected) return
    const { losses } = bus
    await announce().catch(async (error: unknown) => {
      // A lost connection fails the flush before `losses` counts it. The node announces itself again once it is back.
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
      if (bus.connected)
        bus.nats.publish(nodesSubject, JSON.stringify({ node, leaving: true } satisfies NodeAnnouncement))
      messages.unsubscribe()
      toNew.unsubscribe()
    },
  }
}
