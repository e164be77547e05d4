import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connectDb, type Db } from '@parley/db/connect'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { call, eventually, type Platform, type RunningService, startPlatform } from '../platform.ts'

describe('changes are kept to republish them after a stream loss', () => {
  let platform: Platform
  let db: Db
  beforeAll(async () => {
    platform = await startPlatform()
    db = await connectDb(platform.servers.mongoUrl)
  })
  afterAll(async () => {
    await db.client.close()
    await platform.stop()
  })

  /** Makes a change through this gateway; returns the hours for which it is kept. */
  async function keptHours({ url }: RunningService): Promise<number> {
    const user = randomUUID()
    const headers = { 'im-api-key': platform.apiKey }
    await call(url, 'POST', '/admin/clients', headers, { _id: user, issueAccessToken: true })
    const about = { 'events.to.user': user }
    const note = await eventually('the change is kept', () => db.publishedEvents.findOne(about))
    assert.ok(note.expiresAt)
    return (note.expiresAt.getTime() - note.at.getTime()) / 3_600_000
  }

  test('for as long as the stream keeps events, or for PARLEY_CHANGES_KEPT_HOURS', async () => {
    assert.equal(await keptHours(await platform.start('api-gateway')), 72)
    const shorter = await platform.start('api-gateway', { PARLEY_CHANGES_KEPT_HOURS: '5' })
    assert.equal(await keptHours(shorter), 5)
  })
})
