import { setTimeout as pause } from 'node:timers/promises'
import { createInbox } from '@nats-io/nats-core'
import { batched } from '@parley/async/batch'
import { type ControlMessage, isMove, maxUsersPerCommand, type NodeCommand } from '@parley/contracts/bus/control'
import { cachingSubject, controlSubject, nodesSubject, staleSubject } from '@parley/contracts/bus/subjects'
import type { Bus } from '../connect.ts'
import { BusAway } from '../events/publish.ts'
import { listen } from '../listen.ts'
import { announceEveryMS } from './cache-lease.ts'
import { followNodes, watchRunning } from './live-nodes.ts'

/** A process that has listened for this long has heard of every live node. */
export const nodesHeardWithinMS = 2_000
const confirmWithinMS = 2_000
/** Well below the size limit of a NATS message. */
const commandsPerMessage = 200

/** Sends node commands and waits until they are applied. Those that make caches stale also go to every cache. */
export interface Control {
  /**
   * Sends a command to all realtime nodes, and one that makes caches stale to all that cache. Settles when every living
   * process has applied it, so that it takes effect before the caller's response or next event. Commands sent together
   * are confirmed together. A command that moves no user is not waited for.
   *
   * Returns the processes that did not confirm in time. Such a node is dying, with its sockets; such a cache's lease
   * has expired (cache-lease.ts).
   * @throws BusAway
   */
  send(app: string, command: NodeCommand): Promise<{ silent: string[] }>
  /** Names of the nodes that announced themselves recently. */
  nodes(): string[]
  /** Name of each live node and its run ID, since a new process may reuse the name of one that died. */
  runs(): ReadonlyMap<string, string>
  /** Calls `handle` after this process stalled for longer than senders wait for it, with the duration in milliseconds. */
  onStall: (handle: (forMS: number) => void) => void
  stop(): void
}

/**
 * Returns the nodes known for certain to hold no socket of these users. Called after the change is committed: a node
 * registers a user before it reads the user's rooms, so a node that registers later reads the change.
 */
export type FindUnconcerned = (nodes: readonly string[], app: string, users: readonly string[]) => Promise<Set<string>>

interface SentCommand {
  app: string
  command: NodeCommand
}

interface Unconfirmed {
  left: Set<string>
  confirmed: () => void
}

/**
 * @param findUnconcerned finds nodes that membership commands need not wait for; without it, all nodes are waited for
 */
export function createControl(bus: Bus, findUnconcerned?: FindUnconcerned): Control {
  const running = watchRunning()
  const live = followNodes(bus, nodesSubject, running)
  const caching = followNodes(bus, cachingSubject, running)
  const knows = hearOthers()
  const unconfirmed = new Map<string, Unconfirmed>()
  const inbox = createInbox()
  let next = 0

  const confirmations = listen(bus, `${inbox}.*`, (message) => {
    const waiting = unconfirmed.get(message.subject.slice(inbox.length + 1))
    if (waiting?.left.delete(message.string()) && waiting.left.size === 0) waiting.confirmed()
  })

  /** Stops waiting for nodes that are not concerned. On failure, all stay. */
  async function passOver({ left, confirmed }: Unconfirmed, app: string, users: readonly string[]): Promise<void> {
    if (!findUnconcerned || left.size === 0) return
    // After the flush, announcements made before this change have arrived.
    const [unconcerned] = await Promise.all([findUnconcerned([...left], app, users), bus.nats.flush()])
    for (const node of unconcerned) if (live.get(node)?.registers) left.delete(node)
    if (left.size === 0) confirmed()
  }

  /**
   * Publishes a message and returns the processes that did not confirm it. @param users the users that it moves;
   * undefined if it makes caches stale
   */
  async function publish(app: string, message: ControlMessage, users?: readonly string[]): Promise<string[]> {
    const token = (next++).toString(36)
    const { promise, resolve } = Promise.withResolvers<void>()
    await (users ? knows.nodes : knows.caching)
    const concerned = users?.length === 0 ? [] : [...live.names(), ...(users ? [] : caching.names())]
    const waiting = { left: new Set(concerned), confirmed: resolve }
    unconfirmed.set(token, waiting)
    const late = Promise.withResolvers<'late'>()
    const deadline = setTimeout(() => late.resolve('late'), confirmWithinMS)
    try {
      for (const subject of users ? [controlSubject(app)] : [controlSubject(app), staleSubject(app)])
        bus.nats.publish(subject, JSON.stringify(message), { reply: `${inbox}.${token}` })
      if (waiting.left.size === 0) resolve()
      // Without Redis the users of a node are unknown, so every node is waited for.
      if (users) passOver(waiting, app, users).catch(() => undefined)
      if ((await Promise.race([bus.nats.flush(), late.promise])) === 'late') throw new Error('no answer in time')
      await Promise.race([promise, late.promise])
      return [...waiting.left]
    } catch (error) {
      throw new BusAway('NATS did not accept a node command', { cause: error })
    } finally {
      clearTimeout(deadline)
      unconfirmed.delete(token)
    }
  }

  async function sendBatch(sent: SentCommand[]): Promise<{ silent: string[] }[]> {
    if (!bus.connected) throw new BusAway('NATS is away: a node command cannot be sent')
    const silent = new Map<SentCommand, string[]>()
    await Promise.all(
      inMessages(sent).map(async (together) => {
        const [{ app }] = together as [SentCommand]
        const commands = together.map(({ command }) => command)
        const missing = await publish(app, messageOf(commands), usersMoved(commands))
        for (const one of together) silent.set(one, missing)
      }),
    )
    return sent.map((one) => ({ silent: silent.get(one) ?? [] }))
  }

  // Batches run concurrently, so an unconfirmed command does not delay others.
  const send = batched(sendBatch, { max: 1_000, concurrency: 1_000 })
  return {
    send: (app, command) => send({ app, command }),
    nodes: () => live.names(),
    runs: () => live.runs(),
    onStall: running.onStall,
    stop() {
      for (const followed of [live, caching]) followed.stop()
      confirmations.unsubscribe()
    },
  }
}

/** Settles once a new process has heard of the nodes, which announce themselves to it at once, and of all that cache. */
function hearOthers() {
  const after = (turns: number) => pause(turns * announceEveryMS, undefined, { ref: false })
  return { nodes: after(1), caching: after(2) }
}

function messageOf(commands: NodeCommand[]): ControlMessage {
  const [only, ...more] = commands
  return only && more.length === 0 ? only : { do: 'several', commands }
}

/** Groups commands by app and kind, up to the size of a message. */
function inMessages(sent: readonly SentCommand[]): SentCommand[][] {
  const messages: SentCommand[][] = []
  for (const alike of Map.groupBy(sent, ({ app, command }) => JSON.stringify([app, isMove(command)])).values()) {
    let users = 0
    let message: SentCommand[] = []
    for (const one of alike) {
      const count = usersMoved([one.command])?.length ?? 1
      if (message.length === commandsPerMessage || users + count > maxUsersPerCommand) {
        messages.push(message)
        message = []
        users = 0
      }
      message.push(one)
      users += count
    }
    messages.push(message)
  }
  return messages.filter(({ length }) => length > 0)
}

/** The users that the commands move between rooms; undefined if any command makes caches stale. */
function usersMoved(commands: readonly NodeCommand[]): string[] | undefined {
  const moves = commands.filter(isMove)
  return moves.length === commands.length ? [...new Set(moves.flatMap(({ users }) => users))] : undefined
}
