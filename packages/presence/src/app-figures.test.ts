import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { testServers } from '@parley/stack/test-servers'
import { test } from 'vitest'
import { createAppFigures, readFigures } from './app-figures.ts'
import { closePresence, connectPresence } from './connect.ts'

test('counts from while Redis is down are added once it is back', async () => {
  const presence = await connectPresence((await testServers()).redisUrl, () => undefined)
  const errors: Error[] = []
  const figures = createAppFigures(presence, (error) => errors.push(error))
  const app = randomUUID()
  const ended = once(presence.redis, 'end')
  presence.redis.disconnect()
  await ended
  figures.add(app, 'messages', 3)
  await figures.flush()
  await presence.redis.connect()
  figures.add(app, 'messages', 4)
  await figures.flush()
  await figures.stop()
  const hours = await readFigures(presence, app, 'hour')
  await closePresence(presence)
  assert.equal(
    hours.reduce((sum, hour) => sum + hour.figures.messages, 0),
    7,
  )
  assert.deepEqual(errors, [])
})
