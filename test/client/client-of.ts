import { type Client, type ClientOptions, createClient } from '@parley/client'
import { type Front, openFront } from '@parley/local/front'
import type { ServerName } from '@parley/stack/up'
import { onTestFinished } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

/** A gateway and realtime nodes behind one port. */
export interface Deployment {
  platform: Platform
  front: Front
  nodes: RunningService[]
  newNode(): Promise<void>
  /** Routes new connections to this node until a node is started or killed. */
  connectTo(node: number): void
  /** Kills the longest-running node; resolves when no new connection is routed to it. */
  killNode(): Promise<void>
  stop(): Promise<void>
}

/**
 * @param toKill the servers that the test kills
 * @param gatewayEnv settings of the gateway
 */
export async function deploy(
  nodeCount = 1,
  toKill: readonly ServerName[] = [],
  gatewayEnv: NodeJS.ProcessEnv = {},
): Promise<Deployment> {
  const platform = await startPlatform({ toKill })
  const front = await openFront('127.0.0.1', 0)
  const nodes: RunningService[] = []
  const gateway = await platform.start('api-gateway', gatewayEnv)
  const port = ({ ports }: RunningService) => Number(ports['http'])
  const balance = (to = nodes) => front.balance({ gateways: [port(gateway)], realtime: to.map(port) })
  async function newNode(): Promise<void> {
    nodes.push(await platform.start('realtime'))
    balance()
  }
  for (let n = 0; n < nodeCount; n++) await newNode()
  return {
    platform,
    front,
    nodes,
    newNode,
    connectTo: (node) => balance(nodes.slice(node, node + 1)),
    async killNode() {
      await nodes.shift()?.kill()
      balance()
    },
    async stop() {
      await platform.stop()
      await front.close()
    },
  }
}

/** A client of the user at the deployment's port, closed when the test ends. */
export function clientOf(
  { platform: { clientKey }, front: { port } }: Deployment,
  { token }: Pick<PlatformUser, 'token'>,
  options: Partial<ClientOptions> = {},
): Client {
  const client = createClient({ url: `http://127.0.0.1:${port}`, clientKey, token, ...options })
  onTestFinished(() => client.close())
  return client
}

export const isOnline = (client: Client): boolean => client.connection.get().status === 'online'

export const online = (client: Client): Promise<unknown> => eventually('the client is online', () => isOnline(client))

/** The texts that a room shows, in order. */
export const texts = (client: Client, room: string): unknown[] =>
  client
    .room(room)
    .messages.get()
    .map(({ message }) => message)

/** Creates two users in a room; `say` sends as Bob. */
export async function inARoom(platform: Platform) {
  const [alice, bob] = await Promise.all([platform.newUser(), platform.newUser()])
  const room = await platform.newRoom([alice.id, bob.id])
  const say = (message: unknown) =>
    platform.admin('POST', '/messages', { room, sender: bob.id, message, messageType: 'text' })
  return { alice, bob, room, say }
}
