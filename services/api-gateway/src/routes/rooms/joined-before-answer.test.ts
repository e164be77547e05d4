import assert from 'node:assert/strict'
import { type Bus, connectBus } from '@parley/bus/connect'
import { handleCommands } from '@parley/bus/control/handle-commands'
import { listen } from '@parley/bus/listen'
import { allControlSubject } from '@parley/contracts/bus/subjects'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** Two requests for the same change; the second arrives while the realtime node still carries out the first. */
interface Twice {
  request: (by: TestGateway) => Promise<Answer>
}

describe("while the members' sockets are being moved into a room", () => {
  let servers: Servers
  let nodeBus: Bus
  let [first, second]: TestGateway[] = []
  let users: TestUser[]
  let room: string
  beforeAll(async () => {
    servers = await isolatedServers(['nats'])
    nodeBus = await connectBus(servers.natsUrl, 'node')
    first = await startTestGateway({ natsUrl: servers.natsUrl })
    second = await first.another({ natsUrl: servers.natsUrl })
    users = [await first.newUser('alice'), await first.newUser('bob'), await first.newUser('carl')]
    room = await first.newRoom(users.slice(0, 2), { opening: 1 })
  })
  afterAll(async () => {
    await second?.stop()
    await first?.stop()
    await nodeBus.close()
    await servers.stop()
  })

  const races: Record<string, Twice> = {
    'creating their direct room again': {
      request: ({ admin }) => admin('POST', '/rooms/', { roomType: 'direct', members: ['alice', 'bob'] }),
    },
    'creating a group with its _id again': {
      request: ({ admin }) => admin('POST', '/rooms/', { _id: 'named', roomType: 'group', members: ['alice', 'bob'] }),
    },
    'adding them again': {
      request: ({ admin }) => admin('POST', `/rooms/${room}/members`, { invitees: ['carl'] }),
    },
  }
  for (const [name, { request }] of Object.entries(races)) {
    test(`${name} returns once they are in it, so that they hear what is sent next`, async () => {
      assert.ok(first && second)
      const moved = Promise.withResolvers<void>()
      let isMoved = false
      let commands = 0
      const node = handleCommands(nodeBus, 'node', () => moved.promise, assert.fail)
      const heard = listen(nodeBus, allControlSubject, () => void commands++)
      await node.announce()
      const before = request(first)
      await vi.waitUntil(() => commands > 0, { timeout: 100_000 })
      const asked = commands
      const again = request(second).then((answer) => ({ answer, isMoved }))
      await Promise.race([again, vi.waitUntil(() => commands > asked, { timeout: 100_000 })])
      isMoved = true
      moved.resolve()
      const [made, late] = await Promise.all([before, again])
      assert.equal(made.status, 200, made.text)
      node.unsubscribe()
      heard.unsubscribe()
      assert.deepEqual([late.answer.status, late.answer.body.result._id], [200, made.body.result._id])
      assert.ok(late.isMoved, 'the second request was answered before the sockets were in the room')
    })
  }
})
