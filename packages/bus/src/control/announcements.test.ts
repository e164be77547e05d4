import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testServers } from '@parley/stack/test-servers'
import { onTestFinished, test } from 'vitest'
import { connectBus } from '../connect.ts'
import { listenToAnnouncements } from './announcements.ts'

test('an announcement arrives once, for all listeners of a process that are left', async () => {
  const bus = await connectBus((await testServers()).natsUrl, 'listeners')
  onTestFinished(() => bus.close())
  const subject = `announcements.${randomUUID()}`
  let heard: string[] = []
  const listen = (name: string) => listenToAnnouncements(bus, subject, ({ node }) => heard.push(`${name} ${node}`))
  /** Returns the number of messages that arrived. */
  async function announce(node: string): Promise<number> {
    heard = []
    const before = bus.nats.stats().inMsgs
    bus.nats.publish(subject, JSON.stringify({ node }))
    await bus.nats.flush()
    return bus.nats.stats().inMsgs - before
  }

  const [first, second, third] = [listen('a'), listen('b'), listen('c')]
  assert.equal(await announce('n1'), 1)
  assert.deepEqual(heard, ['a n1', 'b n1', 'c n1'])
  first.unsubscribe()
  second.unsubscribe()
  second.unsubscribe()
  assert.equal(await announce('n2'), 1)
  assert.deepEqual(heard, ['c n2'])
  third.unsubscribe()
  assert.equal(await announce('n3'), 0)
  listen('d')
  third.unsubscribe()
  assert.equal(await announce('n4'), 1)
  assert.deepEqual(heard, ['d n4'])
})
