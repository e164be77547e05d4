import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { ControlMessage, ControlOrder } from '@parley/contracts/bus/control'
import { allControlSubject } from '@parley/contracts/bus/subjects'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { type Bus, closeBus, connectBus } from '../connect.ts'
import { type Control, createControl, type FindUnconcerned } from './control.ts'
import { handleCommands } from './handle-commands.ts'

describe('a control order', () => {
  let servers: Servers
  let bus: Bus
  let nodesBus: Bus
  beforeAll(async () => {
    servers = await isolatedServers(['nats'])
    const { natsUrl } = servers
    ;[bus, nodesBus] = await Promise.all([connectBus(natsUrl, 'giver'), connectBus(natsUrl, 'nodes')])
  })
  afterAll(async () => {
    await Promise.all([closeBus(bus), closeBus(nodesBus)])
    await servers.stop()
  })

  /** A node of this test's own app, which applies commands once `gate` is open. */
  function startNode(app: string, { registers = true, gate = Promise.resolve() } = {}) {
    const name = `node ${randomUUID()}`
    const orders: ControlOrder[] = []
    const handle = async (of: string, order: ControlOrder) => {
      if (of !== app) return
      orders.push(order)
      await gate
    }
    const commands = handleCommands(nodesBus, name, handle, assert.fail, () => registers)
    onTestFinished(() => commands.unsubscribe())
    return { name, orders }
  }
  async function giver(nodes: readonly { name: string }[], find?: FindUnconcerned): Promise<Control> {
    const control = createControl(bus, find)
    onTestFinished(() => control.stop())
    await vi.waitUntil(() => nodes.every(({ name }) => control.nodes().includes(name)), { timeout: 100_000 })
    return control
  }
  const joined = (room: string): ControlOrder => ({ do: 'joined', id: randomUUID(), room, users: ['alice'] })
  const never = new Promise<void>(() => undefined)

  test('about a room is waited for at the nodes that hold one of the users, and at no other', async () => {
    const app = randomUUID()
    const [holds, stands] = [startNode(app), startNode(app, { gate: never })]
    const control = await giver([holds, stands], async () => new Set([stands.name]))
    assert.equal((await control.give(app, joined('room'))).silent.includes(stands.name), false)
    assert.equal(holds.orders.length, 1, 'carried out before it settles')
    await vi.waitUntil(() => stands.orders.length === 1, { timeout: 100_000 })
  })

  const unsure: Record<string, [registers: boolean, find: (name: string) => FindUnconcerned]> = {
    'that does not register its users': [false, (name) => async () => new Set([name])],
    'while nobody can say whom it holds': [true, () => () => Promise.reject(new Error('Redis is away'))],
    'that is not known to hold none of them': [true, () => async () => new Set()],
  }
  for (const [which, [registers, find]] of Object.entries(unsure)) {
    test(`is waited for at a node ${which}`, async () => {
      const app = randomUUID()
      const stands = startNode(app, { registers, gate: never })
      const control = await giver([stands], find(stands.name))
      assert.ok((await control.give(app, joined('room'))).silent.includes(stands.name))
    })
  }

  test('that moves nobody is not waited for, and its ID holds: what comes later under it moves nobody', async () => {
    const app = randomUUID()
    const [stands, carriesOut] = [startNode(app, { gate: never }), startNode(app)]
    const control = await giver([stands, carriesOut])
    const order = joined('room')
    assert.deepEqual(await control.give(app, { ...order, users: [] } as ControlOrder), { silent: [] })
    await control.give(app, order)
    await vi.waitUntil(() => carriesOut.orders.length > 0, { timeout: 100_000 })
    assert.deepEqual(carriesOut.orders, [{ ...order, users: [] }])
  })

  test('about tokens is waited for at every node', async () => {
    const app = randomUUID()
    const stands = startNode(app, { gate: never })
    const control = await giver([stands], async () => new Set([stands.name]))
    const order: ControlOrder = { do: 'revoked', id: randomUUID(), user: 'alice', tokens: ['t'] }
    assert.ok((await control.give(app, order)).silent.includes(stands.name))
  })

  test('that is given together with others travels with them, and each is carried out once, in order', async () => {
    const app = randomUUID()
    const node = startNode(app)
    const control = await giver([node])
    const messages: ControlMessage[] = []
    const heard = nodesBus.nats.subscribe(allControlSubject, {
      callback: (_error, message) => {
        if (message.subject.endsWith(app)) messages.push(message.json())
      },
    })
    await nodesBus.nats.flush()
    const orders = ['a', 'b', 'c'].map(joined)
    await Promise.all([...orders, orders[0] as ControlOrder].map((order) => control.give(app, order)))
    heard.unsubscribe()
    assert.deepEqual(node.orders, orders)
    assert.equal(messages.length, 1)
  })
})
