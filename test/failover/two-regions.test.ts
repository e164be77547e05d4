import assert from 'node:assert/strict'
import { type Cluster, newServersDir, primaryOf, startReplicaSet } from '@parley/stack/clusters'
import { withAdmin } from '@parley/stack/mongo'
import { makeTestDataDir } from '@parley/stack/test-data'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import type { Socket } from 'socket.io-client'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { type Seen, type Sending, startSending, wholeHistory } from '../faults/durable-sending.ts'
import { type RunningService, serviceStarter } from '../faults/running-services.ts'
import { connectClient, eventually, type Platform, type PlatformUser, startPlatform } from '../platform.ts'

/** docs/operations.md#two-regions: a MongoDB member in each region and one elsewhere; NATS, Redis and services per region. */
describe('a standby region takes over when the active one is cut off', () => {
  const dir = newServersDir(makeTestDataDir())
  let mongo: Cluster
  let active: number
  let standby: number
  let witness: number
  let east: Platform
  let west: Servers
  let westServices: ReturnType<typeof serviceStarter>
  let eastServices: RunningService[]
  let bob: PlatformUser
  let room: string
  let sending: Sending | undefined
  const sockets: Socket[] = []

  beforeAll(async () => {
    const [set, eastOwn, westOwn] = await Promise.all([
      startReplicaSet(dir, 'regions'),
      isolatedServers(),
      isolatedServers(),
    ])
    mongo = set
    ;[active = 0, standby = 0, witness = 0] = mongo.members.keys()
    await primaryOf(mongo)
    await setPriorities(mongo.url, { [active]: 2, [standby]: 1, [witness]: 0 })
    await eventually('the active region has the primary', async () => (await primaryOf(mongo)) === active)
    east = await startPlatform({ own: { ...eastOwn, mongoUrl: mongo.url } })
    west = { ...westOwn, mongoUrl: mongo.url }
    westServices = serviceStarter(west, dir.dir)
    eastServices = await Promise.all([
      east.start('api-gateway'),
      east.start('realtime'),
      east.start('push'),
      east.start('stats'),
    ])
    await east.newUser('alice')
    bob = await east.newUser('bob')
    room = await east.newRoom(['alice', 'bob'])
  })
  afterEach(async () => {
    signal(active, 'SIGCONT')
    await sending?.stop()
  })
  afterAll(async () => {
    for (const socket of sockets) socket.close()
    await westServices?.stop()
    await east?.stop()
    await west?.stop()
    await dir.stop()
  })

  /** A stopped process simulates a host that does not respond. */
  function signal(port: number, name: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = mongo.members.get(port)?.pid
    if (pid !== undefined) process.kill(pid, name)
  }

  const headers = () => ({ 'im-api-key': east.apiKey })
  const send = (url: string) => startSending({ urls: () => [url], headers: headers(), room, pauseMS: 50 })

  test('nothing acknowledged is lost, and the standby continues with its own stream', async () => {
    const [gateway, node] = eastServices as [RunningService, RunningService]
    const heardInEast = await listen(node)
    sending = send(gateway.url)
    const { acknowledged, statuses } = sending
    await eventually('messages are flowing', () => acknowledged.length > 50)

    // The cut as the active region sees it: it has no majority. Kill the other members: if only stopped, they would later read data
    // that was sent to them before.
    const beyond = [standby, witness].flatMap((port) => mongo.members.get(port) ?? [])
    await Promise.all(beyond.map((server) => server.kill()))
    await eventually('the active region refuses sends', () => statuses.has(503))
    await sending.stop()
    // Every send of these begins after the cut.
    const alone = (sending = send(gateway.url))
    await eventually('it goes on refusing', () => alone.statuses.has(503))
    assert.deepEqual(await alone.stop(), [], 'the cut-off region alone acknowledges no send')

    // The cut as the others see it: the active region is gone.
    signal(active, 'SIGSTOP')
    await Promise.all(beyond.map((server) => server.restart()))
    const cutMS = performance.now()
    await Promise.all(eastServices.map((service) => service.kill()))
    const westUrl = `mongodb://127.0.0.1:${standby},127.0.0.1:${witness}/?replicaSet=failover`
    await eventually(
      'the standby has the primary',
      async () => (await primaryOf({ ...mongo, url: westUrl })) === standby,
    )
    const electedMS = performance.now()
    await setPriorities(westUrl, { [active]: 1, [standby]: 2 })
    const [westGateway, westNode] = await Promise.all([
      westServices.start('api-gateway'),
      westServices.start('realtime'),
      westServices.start('push'),
      westServices.start('stats'),
    ])
    const heardInWest = await listen(westNode)
    const resumed = send(westGateway.url)
    sending = resumed
    await eventually('sends are acknowledged in the standby', () => resumed.acknowledged.length > 0)
    const againMS = performance.now()
    await eventually('messages are flowing', () => resumed.acknowledged.length > 50)

    // The active region returns and rolls back its own writes.
    signal(active, 'SIGCONT')
    await eventually('the old primary is a secondary', async () => (await stateOf(westUrl, active)) === 'SECONDARY')
    await resumed.stop()

    const stored = await wholeHistory(westGateway.url, room, bob.headers)
    const ids = new Set(stored.map(({ _id }) => _id))
    const all = [...acknowledged, ...resumed.acknowledged]
    assert.deepEqual(
      all.filter((id) => !ids.has(id)),
      [],
      'acknowledged but not in the history',
    )
    assert.deepEqual(
      stored.map(({ seq }) => seq),
      stored.map((_, i) => i + 1),
      'seq has no gaps',
    )
    await eventually('live events arrive in the standby', () => resumed.acknowledged.every((id) => heardInWest.has(id)))
    assert.ok(heardInEast.size > 0)
    assert.equal(await primaryOf({ ...mongo, url: westUrl }), standby)
    const seconds = (fromMS: number, toMS: number) => ((toMS - fromMS) / 1_000).toFixed(1)
    console.log(
      `elected after ${seconds(cutMS, electedMS)} s, sends again after ${seconds(cutMS, againMS)} s, ` +
        `${acknowledged.length} acknowledged before, ${resumed.acknowledged.length} after`,
    )
  })

  /** Connects Bob to this node; returns the set of message IDs that his socket gets. */
  async function listen(node: RunningService): Promise<Set<string>> {
    const heard = new Set<string>()
    const socket = await connectClient(node.url, bob.token, { clientKey: east.clientKey })
    sockets.push(socket)
    socket.on('chat message', ({ _id }: Seen) => heard.add(_id))
    return heard
  }
})

/** Sets members' priorities by port, as in docs/operations.md#two-regions. */
async function setPriorities(url: string, priorities: Record<number, number>): Promise<void> {
  await withAdmin(url, async (admin) => {
    const { config } = await admin.command({ replSetGetConfig: 1 })
    for (const member of config.members) {
      member.priority = priorities[Number(member.host.split(':')[1])] ?? member.priority
    }
    config.version += 1
    await admin.command({ replSetReconfig: config })
  })
}

async function stateOf(url: string, port: number): Promise<string> {
  const { members } = await withAdmin(url, (admin) => admin.command({ replSetGetStatus: 1 }))
  return members.find(({ name }: { name: string }) => name.endsWith(`:${port}`)).stateStr
}
