import type { ActivityAnswer } from '@parley/contracts/bus/node-requests'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import type { PushDecisionDoc } from '@parley/db/push/documents'
import { contentOf, findDecisionsAbout, findResultsAbout } from '@parley/db/push/push-decisions'
import { findPushes } from '@parley/db/push/pushes'
import { devicesDecided, explainDevices, reasonOf } from '../push/explained-devices.ts'
import type { TimelineRecord, TracedMessage } from './records.ts'

/** Effects of each message by its ID, in order of time. */
type Effects = ReadonlyMap<string, readonly TimelineRecord[]>

/** The pushes of messages to a user, or why there were none. Uses one query of each kind for all messages. */
export async function findPushesOfMessages(
  db: Db,
  app: string,
  user: string,
  messages: readonly TracedMessage[],
): Promise<Effects> {
  const others = messages.filter(({ sender }) => sender !== user)
  const contents = others.filter(({ push }) => push !== false).map(({ _id }) => key(app, _id))
  const [decided, outcomes] = await Promise.all([
    findDecisionsAbout(db, contents, user),
    findResultsAbout(db, contents, user),
  ])
  const decisionsOf = Map.groupBy(decided, ({ _id }) => contentOf(_id))
  const resultsOf = Map.groupBy(outcomes, ({ content }) => content)
  const due = [...decisionsOf].flatMap(([content, decisions]) =>
    devicesDecided(decisions, user, 'DUE').map((device) => key(content, user, device)),
  )
  const pushesOf = Map.groupBy(await findPushes(db, due), ({ content }) => content)
  return new Map(
    others.map((message): [string, TimelineRecord[]] => {
      const content = key(app, message._id)
      const decisions = decisionsOf.get(content) ?? []
      if (message.push === false) {
        const reason = message.streaming ? 'STREAMING' : 'PUSH_FALSE'
        return [message._id, [{ of: 'no push', atMS: message.createdAtMS, message, reason }]]
      }
      const atMS = decisions[0]?.at.getTime() ?? message.createdAtMS
      const forAll = reasonForAll(decisions, user)
      if (forAll) return [message._id, [{ of: 'no push', atMS, message, ...forAll }]]
      const results = (resultsOf.get(content) ?? []).map(({ result }) => result).sort((a, b) => a.atMS - b.atMS)
      const devices = explainDevices(content, user, { decisions, pushes: pushesOf.get(content) ?? [], results })
      return [message._id, devices.map((device) => ({ of: 'push', atMS, message, device }))]
    }),
  )
}

function reasonForAll(decisions: readonly PushDecisionDoc[], user: string) {
  const called = decisions.find((decision) => decision.called?.includes(user))
  if (called) return { reason: 'PUSH_GENERIC' as const, ...(called.call !== undefined && { call: called.call }) }
  const reason = reasonOf(decisions, user)
  return reason && { reason }
}

export interface NodeDelivery {
  node: string
  message: string
  sockets: number
  atMS: number
  caughtUp?: true | undefined
}

export interface ConnectionPeriod {
  node: string
  device: string
  sinceMS: number
  untilMS?: number
}

/** Deliveries of messages, with the devices that were connected to the node at that moment. */
export function deliveriesOfMessages(
  messages: readonly TracedMessage[],
  deliveries: readonly NodeDelivery[],
  connected: readonly ConnectionPeriod[],
): Effects {
  const byID = Map.groupBy(deliveries, ({ message }) => message)
  return new Map(
    messages.map((message) => [
      message._id,
      (byID.get(message._id) ?? []).map(({ node, sockets, atMS, caughtUp = false }) => ({
        of: 'delivery' as const,
        atMS,
        message,
        node,
        sockets,
        caughtUp,
        devices: connected
          .filter((one) => one.node === node && one.sinceMS <= atMS && (one.untilMS ?? Infinity) >= atMS)
          .map(({ device }) => device),
      })),
    ]),
  )
}

/**
 * Periods in which a user's devices were connected to a node, from its remembered activity and its live connections.
 */
export function connectionPeriods(
  node: string,
  activity: ActivityAnswer,
  live: readonly { device: string; sinceMS: number }[],
): ConnectionPeriod[] {
  const periods: ConnectionPeriod[] = live.map(({ device, sinceMS }) => ({ node, device, sinceMS }))
  const open = new Map<string, number>()
  for (const { what, device = '', atMS } of activity) {
    if (what === 'connected') open.set(device, atMS)
    const sinceMS = open.get(device)
    if (what !== 'closed' || sinceMS === undefined) continue
    periods.push({ node, device, sinceMS, untilMS: atMS })
    open.delete(device)
  }
  return periods
}
