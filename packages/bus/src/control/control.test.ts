import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ControlMessage, NodeCommand } from '@parley/contracts/bus/control'
import { allControlSubject } from '@parley/contracts/bus/subjects'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { type Bus, connectBus } from '../connect.ts'
import { holdCacheLease } from './cache-lease.ts'
import { type Control, createControl, type FindUnconcerned } from './control.ts'
import { handleCommands } from './handle-commands.ts'

describe('a node command', () => {
  let servers: Servers
  let bus: Bus
  let nodesBus: Bus
  beforeAll(async () => {
    servers = await isolatedServers(['nats'])
    const { natsUrl } = servers
    ;[bus, nodesBus] = await Promise.all([connectBus(natsUrl, 'sender'), connectBus(natsUrl, 'nodes')])
  })
  afterAll(async () => {
    await Promise.all([bus.close(), nodesBus.close()])
    await servers.stop()
  })

  /** A node that handles only this app's commands, and finishes them once `gate` opens. */
  function startNode(app: string, { registers = true, gate = Promise.resolve() } = {}) {
    const name = `node ${randomUUID()}`
    const commands: NodeCommand[] = []
    const handle = async (of: string, command: NodeCommand) => {
      if (of !== app) return
      commands.push(command)
      await gate
    }
    const receiver = handleCommands(nodesBus, name, handle, assert.fail, () => registers)
    onTestFinished(() => receiver.unsubscribe())
    return { name, commands }
  }
  async function sender(nodes: readonly { name: string }[], find?: FindUnconcerned): Promise<Control> {
    const control = createControl(bus, find)
    onTestFinished(() => control.stop())
    await vi.waitUntil(() => nodes.every(({ name }) => control.nodes().includes(name)), { timeout: 100_000 })
    return control
  }
  const joined = (room: string): NodeCommand => ({ do: 'joined', id: randomUUID(), room, users: ['alice'], afterMS: 0 })
  const never = new Promise<void>(() => undefined)

  test('about a room waits only for the nodes that hold one of its users', async () => {
    const app = randomUUID()
    const [holds, stands] = [startNode(app), startNode(app, { gate: never })]
    const control = await sender([holds, stands], async () => new Set([stands.name]))
    assert.equal((await control.send(app, joined('room'))).silent.includes(stands.name), false)
    assert.equal(holds.commands.length, 1, 'carried out before it settles')
    await vi.waitUntil(() => stands.commands.length === 1, { timeout: 100_000 })
  })

  const unsure: Record<string, [registers: boolean, find: (name: string) => FindUnconcerned]> = {
    'that does not register its users': [false, (name) => async () => new Set([name])],
    'while its users cannot be looked up': [true, () => () => Promise.reject(new Error('Redis is away'))],
    'that may hold some of them': [true, () => async () => new Set()],
  }
  for (const [which, [registers, find]] of Object.entries(unsure)) {
    test(`waits for a node ${which}`, async () => {
      const app = randomUUID()
      const stands = startNode(app, { registers, gate: never })
      const control = await sender([stands], find(stands.name))
      assert.ok((await control.send(app, joined('room'))).silent.includes(stands.name))
    })
  }

  test('of a process that has just started waits for nodes that were there before', async () => {
    const app = randomUUID()
    const stands = startNode(app, { gate: never })
    await sender([stands])
    const control = createControl(bus)
    const lease = holdCacheLease(bus, randomUUID(), assert.fail)
    onTestFinished(() => {
      control.stop()
      lease.stop()
    })
    assert.ok((await control.send(app, joined('room'))).silent.includes(stands.name))
  })

  test('without users waits for no node, and a later command with its ID is ignored', async () => {
    const app = randomUUID()
    const [stands, carriesOut] = [startNode(app, { gate: never }), startNode(app)]
    const control = await sender([stands, carriesOut])
    const command = joined('room')
    assert.deepEqual(await control.send(app, { ...command, users: [] } as NodeCommand), { silent: [] })
    await control.send(app, command)
    await vi.waitUntil(() => carriesOut.commands.length > 0, { timeout: 100_000 })
    assert.deepEqual(carriesOut.commands, [{ ...command, users: [] }])
  })

  test('about tokens waits for every node', async () => {
    const app = randomUUID()
    const stands = startNode(app, { gate: never })
    const control = await sender([stands], async () => new Set([stands.name]))
    const command: NodeCommand = { do: 'revoked', id: randomUUID(), user: 'alice', tokens: ['t'] }
    assert.ok((await control.send(app, command)).silent.includes(stands.name))
  })

  test('is sent in one message with concurrent ones, and each is applied once, in order', async () => {
    const app = randomUUID()
    const node = startNode(app)
    const control = await sender([node])
    const messages: ControlMessage[] = []
    const heard = nodesBus.nats.subscribe(allControlSubject, {
      callback: (_error, message) => {
        if (message.subject.endsWith(app)) messages.push(message.json())
      },
    })
    await nodesBus.nats.flush()
    const commands = ['a', 'b', 'c'].map(joined)
    await Promise.all([...commands, commands[0] as NodeCommand].map((command) => control.send(app, command)))
    heard.unsubscribe()
    assert.deepEqual(node.commands, commands)
    assert.equal(messages.length, 1)
  })
})
