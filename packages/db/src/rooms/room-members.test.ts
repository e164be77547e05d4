import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { connectDb } from '../connect.ts'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import { inTransaction, StaleReadError } from '../transactions/transaction.ts'
import type { RoomDoc } from './documents.ts'
import { findJoiningFacts } from './joining-facts.ts'
import { addMembersToRooms } from './room-members.ts'
import { newVersion } from './version.ts'

const room = {
  ...{ _id: key('app', 'room'), app: 'app', id: 'room', roomType: 'group' as const, status: 1 as const, seq: 7 },
  ...{ clockMS: 1_000, memberCount: 2, firstMembers: ['ann', 'bob'], managers: [], createdAtMS: 1_000 },
} as unknown as RoomDoc

describe('adding members to a group', () => {
  let db: Db
  beforeAll(async () => {
    db = await connectDb(withDatabase((await testServers()).mongoUrl, `members_${randomUUID().replaceAll('-', '')}`))
  })
  afterAll(async () => {
    await db.mongo.dropDatabase()
    await db.client.close()
  })

  /**
   * Reads facts, changes the room, then adds dave. Returns whether the first attempt was refused as stale, and the
   * final room.
   */
  async function add(
    change: (readAt: RoomDoc) => Promise<unknown>,
  ): Promise<{ isStale: boolean; after: RoomDoc | null }> {
    await db.rooms.replaceOne({ _id: room._id }, room, { upsert: true })
    await db.memberships.deleteMany({})
    const wanted = {
      rooms: [room._id],
      memberships: [key('app', 'room', 'dave')],
      users: [],
      orderingKeys: ['orderingKey'],
    }
    let tries = 0
    let isStale = false
    await inTransaction(db, async (session) => {
      const facts = await findJoiningFacts(db, wanted)
      const [read] = facts.rooms
      assert.ok(read)
      if (tries++ === 0) await change(read)
      const adding = addMembersToRooms(db, [{ room: read, users: ['dave'] }], session, facts)
      await adding.catch((error: unknown) => {
        isStale = error instanceof StaleReadError
        throw error
      })
    })
    return { isStale, after: await db.rooms.findOne({ _id: room._id }) }
  }

  test('succeeds if nothing has changed since the group was read', async () => {
    const { isStale, after } = await add(() => Promise.resolve())
    assert.deepEqual([isStale, after?.memberCount, after?.firstMembers], [false, 3, ['ann', 'bob', 'dave']])
  })

  test('reads the group again if its members or bans have changed', async () => {
    const { isStale, after } = await add(() =>
      db.rooms.updateOne(
        { _id: room._id },
        { $set: { memberCount: 3, firstMembers: ['ann', 'bob', 'carl'] }, ...newVersion() },
      ),
    )
    assert.deepEqual([isStale, after?.memberCount, after?.firstMembers], [true, 4, ['ann', 'bob', 'carl', 'dave']])
  })

  test('dates each join after all messages and joins of the room, even if those are dated by a fast clock', async () => {
    const aheadMS = Date.now() + 60_000
    await db.rooms.replaceOne({ _id: room._id }, { ...room, clockMS: aheadMS }, { upsert: true })
    await db.memberships.deleteMany({})
    for (const user of ['dave', 'erin']) {
      const read = (await db.rooms.findOne({ _id: room._id })) as RoomDoc
      await inTransaction(db, (session) => addMembersToRooms(db, [{ room: read, users: [user] }], session))
    }
    const joined = await db.memberships.find({ roomKey: room._id }).sort({ joinedAtMS: 1 }).toArray()
    assert.deepEqual(
      joined.map(({ user, joinedAtMS }) => [user, joinedAtMS - aheadMS]),
      [
        ['dave', 1],
        ['erin', 2],
      ],
    )
    const { clockMS, joinedAtMS } = (await db.rooms.findOne({ _id: room._id })) as RoomDoc
    assert.deepEqual([clockMS, joinedAtMS], [aheadMS + 2, aheadMS + 2])
  })
})
