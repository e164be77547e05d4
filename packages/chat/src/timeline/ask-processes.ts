import { clock } from '@parley/async/clock'
import { askNodes } from '@parley/bus/control/ask-nodes'
import {
  type ActivityAnswer,
  activityAnswer,
  type ConnectionsAnswer,
  connectionsAnswer,
  deliveriesAnswer,
} from '@parley/contracts/bus/node-requests'
import type { Presence } from '@parley/presence/connect'
import { readProcesses, silentAfterMS } from '@parley/presence/processes'
import type { Chat } from '../chat.ts'
import { type ConnectionPeriod, connectionPeriods, type NodeDelivery } from './message-effects.ts'
import type { TracedMessage } from './records.ts'

type Asking = Pick<Chat, 'bus' | 'control' | 'log'>

export interface UserActivity {
  activity: { node: string; entry: ActivityAnswer[number] }[]
  live: { node: string; connection: ConnectionsAnswer[number] }[]
  connected: ConnectionPeriod[]
  silent: string[]
}

/** Asks the realtime nodes and the gateways that report themselves. Without Redis, gateways are left out. */
export async function askActivity(
  { bus, control, log }: Asking,
  presence: Presence,
  app: string,
  user: string,
): Promise<UserActivity> {
  const body = { app, user }
  const gateways = await liveGateways(presence).catch((error: unknown) => {
    log.warn({ err: error }, 'gateways not asked for a timeline')
    return []
  })
  const [activity, live] = await Promise.all([
    askNodes(bus, [...control.nodes(), ...gateways], { request: 'activity', body, schema: activityAnswer }),
    askNodes(bus, control.nodes(), { request: 'connections', body, schema: connectionsAnswer }),
  ])
  const liveAt = new Map(live.answers.map(({ node, answer }) => [node, answer]))
  return {
    activity: activity.answers.flatMap(({ node, answer }) => answer.map((entry) => ({ node, entry }))),
    live: live.answers.flatMap(({ node, answer }) => answer.map((connection) => ({ node, connection }))),
    connected: activity.answers.flatMap(({ node, answer }) => connectionPeriods(node, answer, liveAt.get(node) ?? [])),
    silent: [...new Set([...activity.silent, ...live.silent])],
  }
}

export async function liveGateways(presence: Presence): Promise<string[]> {
  const oldestMS = clock.now() - silentAfterMS
  const all = await readProcesses(presence)
  return all.filter(({ service, atMS }) => service === 'api-gateway' && atMS >= oldestMS).map(({ node }) => node)
}

/** Deliveries that the nodes remember, for some minutes. */
export async function askDeliveries(
  { bus, control }: Asking,
  app: string,
  messages: readonly TracedMessage[],
): Promise<{ deliveries: NodeDelivery[]; silent: string[] }> {
  if (messages.length === 0) return { deliveries: [], silent: [] }
  const { answers, silent } = await askNodes(bus, control.nodes(), {
    request: 'deliveries',
    body: { app, messages: messages.map(({ _id, room }) => ({ room, message: _id })) },
    schema: deliveriesAnswer,
  })
  return { deliveries: answers.flatMap(({ node, answer }) => answer.map((one) => ({ node, ...one }))), silent }
}
