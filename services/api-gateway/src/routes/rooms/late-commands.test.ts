import assert from 'node:assert/strict'
import { type Bus, connectBus } from '@parley/bus/connect'
import { handleCommands } from '@parley/bus/control/handle-commands'
import { relay } from '@parley/chat/events/relay'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import type { NodeCommand } from '@parley/contracts/bus/control'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway } from '../../test-gateway.ts'

describe('members who changed while NATS was unavailable', () => {
  let servers: Servers
  let nodeBus: Bus
  let gateway: TestGateway
  beforeAll(async () => {
    servers = await isolatedServers(['nats'])
    nodeBus = await connectBus(servers.natsUrl, 'node')
    gateway = await startTestGateway({ natsUrl: servers.natsUrl })
  })
  afterAll(async () => {
    await gateway.stop()
    await nodeBus.close()
    await servers.stop()
  })

  test('are brought to their current state by delayed commands: removed users never rejoin, members never leave', async () => {
    const commands: Extract<NodeCommand, { users: string[] }>[] = []
    const handle = async (_app: string, command: NodeCommand) => {
      if ('users' in command) commands.push(command)
    }
    const node = handleCommands(nodeBus, 'node', handle, assert.fail)
    const owner = await gateway.newUser()
    const [out, back] = [await gateway.newUser('out'), await gateway.newUser('back')]
    const room = await gateway.newRoom([owner, back])
    await vi.waitUntil(() => commands.length > 0, { timeout: 100_000 })
    commands.length = 0

    await servers.nats.kill()
    await vi.waitUntil(() => !gateway.chat.bus.connected, { timeout: 100_000 })
    const change = async (path: string, body: object) => {
      assert.equal((await gateway.admin('POST', `/rooms/${room}/${path}`, body)).status, 200)
    }
    await change('members', { invitees: [out.id] })
    await change('delete/members', { members: [out.id] })
    await change('delete/members', { members: [back.id] })
    await change('members', { invitees: [back.id] })
    await servers.nats.restart()
    // A node that is not back yet misses commands, and reads the rooms again instead.
    await vi.waitUntil(() => nodeBus.connected, { timeout: 100_000 })

    const stop = new AbortController()
    const relaying = runWorkers(gateway.chat, [relay(gateway.chat)], stop.signal)
    await vi.waitUntil(() => commands.length === 4, { timeout: 100_000 })
    stop.abort()
    await relaying
    node.unsubscribe()
    assert.deepEqual(
      commands.map((command) => [command.do, command.users]),
      [
        ['joined', []],
        ['left', [out.id]],
        ['left', []],
        ['joined', [back.id]],
      ],
    )
  })
})
