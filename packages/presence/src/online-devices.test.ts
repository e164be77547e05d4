import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { ownServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import { closePresence, connectPresence, type Presence } from './connect.ts'
import { nodeTtlMS } from './connection-counts.ts'
import { announceDevices, findOnlineDevices, type OnlineDevices, PresenceIncomplete } from './online-devices.ts'

const fail = (error: Error) => {
  throw error
}

suite('which devices are online', { timeout: 60_000 }, () => {
  let servers: Servers
  let presence: Presence
  let node: string
  let online: OnlineDevices

  before(async () => {
    servers = await ownServers()
    presence = await connectPresence(servers.redisUrl, () => undefined)
    node = randomUUID()
    online = await announceDevices(presence, node, () => undefined)
  })
  after(async () => {
    await online.stop()
    await closePresence(presence)
    await servers.stop()
  })

  test('those of many users are found over all nodes, users without any are left out', async () => {
    const other = await announceDevices(presence, randomUUID(), fail)
    online.changed('a.p*p', 'al ice>😀', new Set(['phone', 'desk top']))
    other.changed('a.p*p', 'al ice>😀', new Set(['watch']))
    other.changed('a.p*p', 'bob', new Set(['bob’s']))
    online.changed('another', 'carol', new Set(['c']))
    await Promise.all([online.idle(), other.idle()])
    assert.deepEqual(
      await findOnlineDevices(presence, 'a.p*p', ['al ice>😀', 'bob', 'carol']),
      new Map([
        ['al ice>😀', new Set(['phone', 'desk top', 'watch'])],
        ['bob', new Set(['bob’s'])],
      ]),
    )
    await other.stop()
    assert.deepEqual(await findOnlineDevices(presence, 'a.p*p', ['bob']), new Map())
  })

  test('a device that disconnected is not online any more', async () => {
    online.changed('app', 'dave', new Set(['one', 'two']))
    online.changed('app', 'dave', new Set(['two']))
    await online.idle()
    assert.deepEqual(await findOnlineDevices(presence, 'app', ['dave']), new Map([['dave', new Set(['two'])]]))
    online.changed('app', 'dave', new Set())
    await online.idle()
    assert.deepEqual(await findOnlineDevices(presence, 'app', ['dave']), new Map())
  })

  test('what a node said expires when the node does not say that it is alive', async () => {
    online.changed('app', 'erin', new Set(['e']))
    await online.idle()
    const left = await presence.redis.pttl(`{parley}:online:${node}`)
    assert.ok(left > 0 && left <= nodeTtlMS, `${left} ms left`)
  })

  test('a node that has not said whom it holds is told from one that holds nobody', async () => {
    await assert.rejects(findOnlineDevices(presence, 'app', ['erin'], ['somebody']), PresenceIncomplete)
    assert.ok((await findOnlineDevices(presence, 'app', ['erin'], [node])).has('erin'))
  })

  test('after a restart of Redis the nodes say everything again', async () => {
    await servers.redis.kill()
    online.changed('app', 'frank', new Set(['f']))
    await online.idle()
    await servers.redis.restart()
    const deadline = Date.now() + 10_000
    for (;;) {
      const found = await findOnlineDevices(presence, 'app', ['erin', 'frank'], [node]).catch(() => new Map())
      if (found.size === 2) break
      assert.ok(Date.now() < deadline, 'not said again')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
})
