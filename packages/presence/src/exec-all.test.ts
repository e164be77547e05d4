import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { isolatedServers, testServers } from '@parley/stack/test-servers'
import { test } from 'vitest'
import { closePresence, connectPresence, isPresenceAway, whilePresent } from './connect.ts'
import { reportConnections } from './connection-counts.ts'
import { execAll } from './exec-all.ts'
import { findPushed, recordPushed } from './pushed-rooms.ts'
import { recordReminder } from './sent-reminders.ts'
import { openReceiver } from './webhook-receivers.ts'

test('commands run together fail if Redis is down', async () => {
  const presence = await connectPresence((await testServers()).redisUrl, () => undefined)
  await closePresence(presence)
  const [app, user, room, id] = ['app', 'user', 'room', randomUUID()]
  await assert.rejects(recordPushed(presence, { app, room, seq: 1 }, [{ user, device: 'd' }], 60), isPresenceAway)
  await assert.rejects(findPushed(presence, [{ app, room, user }]), isPresenceAway)
  await assert.rejects(recordReminder(presence, { app, user, room, id, atMS: 1 }, 1), isPresenceAway)
  await assert.rejects(openReceiver(presence, id, { app, endsAtMS: 1, status: 200 }), isPresenceAway)
})

test('Redis counts as away while it is full or could not save: pushes go on', async () => {
  const servers = await isolatedServers(['redis'])
  const presence = await connectPresence(servers.redisUrl, () => undefined)
  const [app, user, room, id] = ['app', 'user', 'room', randomUUID()]
  try {
    await presence.redis.config('SET', 'maxmemory-policy', 'noeviction')
    await presence.redis.config('SET', 'maxmemory', '1')
    const refused = await recordPushed(presence, { app, room, seq: 1 }, [{ user, device: 'd' }], 60).catch(String)
    assert.match(refused ?? '', /OOM/)
    assert.equal(
      await whilePresent(recordPushed(presence, { app, room, seq: 1 }, [{ user, device: 'd' }], 60)),
      undefined,
    )
    await assert.rejects(recordReminder(presence, { app, user, room, id, atMS: 1 }, 1), isPresenceAway)
    // A transaction, and a script.
    await assert.rejects(openReceiver(presence, id, { app, endsAtMS: 1, status: 200 }), isPresenceAway)
    await assert.rejects(reportConnections(presence, id, app, 1), isPresenceAway)
  } finally {
    await closePresence(presence)
    await servers.stop()
  }
  const unsaved = 'MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.'
  assert.equal(isPresenceAway(new Error(unsaved)), true)
})

test('commands run together fail if one of them does', async () => {
  const presence = await connectPresence((await testServers()).redisUrl, () => undefined)
  try {
    const key = `test:${randomUUID()}`
    assert.deepEqual(await execAll(presence.redis.multi().set(key, '1').expire(key, 60)), ['OK', 1])
    await assert.rejects(execAll(presence.redis.pipeline().hset(key, 'a', '1').get(key)), /WRONGTYPE/)
    await assert.rejects(execAll(presence.redis.multi().hset(key, 'a', '1').del(key)), /WRONGTYPE/)
  } finally {
    await closePresence(presence)
  }
})
