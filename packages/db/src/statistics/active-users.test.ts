import assert from 'node:assert/strict'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Servers } from '@parley/stack/up'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectDb } from '../connect.ts'
import type { Db } from '../db.ts'
import { ImportedStats } from '../import/imported-stats.ts'
import { migrate } from '../migrate.ts'
import { findActiveUsers, recordActiveUsers } from './active-users.ts'
import { bucketLevels } from './buckets.ts'

const minuteMS = bucketLevels.minute.sizeMS
const users = ['alice', 'bob', 'carol']

describe('the active users of a period', () => {
  let servers: Servers
  let db: Db
  beforeAll(async () => {
    servers = await isolatedServers(['mongo'])
    db = await connectDb(servers.mongoUrl)
    await migrate(db)
  })
  afterAll(async () => {
    await db.client.close()
    await servers.stop()
  })

  const notes: Record<string, (app: string, facts: { user: string; atMS: number }[]) => Promise<void>> = {
    async note(app, facts) {
      await recordActiveUsers(
        db,
        facts.map((fact) => ({ app, ...fact })),
      )
    },
    async import(app, facts) {
      const stats = new ImportedStats(db, 4)
      for (const [i, fact] of facts.entries()) await stats.add([{ app, room: 'room', seq: i + 1, ...fact }])
      await stats.write()
    },
  }

  test('are exact to the minute, recorded or imported', async () => {
    const endMS = Date.now() - (Date.now() % minuteMS)
    /** Within a few hours, so that many facts share an hour. */
    const ago = fc.integer({ min: 0, max: 200 })
    const note = fc.record({
      how: fc.constantFrom(...Object.keys(notes)),
      facts: fc.array(fc.record({ user: fc.constantFrom(...users), ago }), { minLength: 1, maxLength: 4 }),
    })
    const ranges = fc.array(fc.record({ ago, minutes: fc.integer({ min: 1, max: 90 }) }), {
      minLength: 1,
      maxLength: 3,
    })
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(note, { maxLength: 5 }), ranges, async (noted, asked) => {
        const app = `app ${run++}`
        const facts = noted.map(({ how, facts: some }) => ({
          how,
          some: some.map(({ user, ago: minutes }) => ({ user, atMS: endMS - minutes * minuteMS + 1_234 })),
        }))
        for (const { how, some } of facts) await notes[how]?.(app, some)
        const windows = asked.map(({ ago: minutes, minutes: long }) => {
          const fromMS = endMS - minutes * minuteMS
          return { level: 'minute' as const, fromMS, toMS: fromMS + long * minuteMS }
        })
        const expected = facts
          .flatMap(({ some }) => some)
          .filter(({ atMS }) => windows.some(({ fromMS, toMS }) => atMS >= fromMS && atMS < toMS))
        assert.deepEqual(
          await findActiveUsers(db, app, windows),
          [...new Set(expected.map(({ user }) => user))].toSorted(),
        )
      }),
      { numRuns: 60 },
    )
  })

  test('take one document per hour and day, not per minute', async () => {
    const beginMS = Date.UTC(2099, 0, 1, 10)
    for (let minute = 0; minute < 120; minute++) {
      await recordActiveUsers(db, [{ app: 'documents', user: 'alice', atMS: beginMS + minute * minuteMS }])
    }
    const found = await db.statsUsers.find({ app: 'documents' }).toArray()
    const kinds = found.map(({ level, minutes }) => (minutes === undefined ? level : `${level} with minutes`))
    assert.deepEqual(kinds.toSorted(), ['day', 'hour with minutes', 'hour with minutes'])
    assert.equal(new Set(found.map(({ minutes }) => minutes?.toString())).size, 2, 'all bits of both hours')
  })
})
