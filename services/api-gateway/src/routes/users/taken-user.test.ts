import assert from 'node:assert/strict'
import type { Db, Session } from '@parley/db/connect'
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

/** One gateway writes for a user while the other bans or erases the user. */
describe('grants to a user banned or erased meanwhile', () => {
  let gateway: TestGateway
  let other: TestGateway
  let eve: TestUser
  beforeAll(async () => {
    gateway = await startTestGateway()
    other = await gateway.another()
    await gateway.newUser('bob')
  })
  beforeEach(async () => {
    eve = await gateway.newUser()
  })
  afterAll(async () => {
    await other.stop()
    await gateway.stop()
  })

  const ban = () => other.admin('POST', `/admin/clients/${eve.id}/ban`)
  const erase = () => other.admin('DELETE', `/admin/clients/${eve.id}`)
  const issue = (by = gateway) => by.admin('POST', '/admin/clients', { _id: eve.id, issueAccessToken: true })
  const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
  const bind = () =>
    gateway.admin('PUT', `/admin/clients/${eve.id}/token`, { token: eve.id, expirationDate: inAnHour() })
  const asEve: Record<string, () => Promise<Answer>> = {
    'a device': () => eve.call('POST', '/me/subscribe', { type: 'fcm', token: eve.id, deviceId: 'phone' }),
    'a preference': () => eve.call('POST', '/me/pref/theme', { data: 'dark' }),
    'a block': () => eve.call('POST', '/blockStatus/my/bob'),
  }
  const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

  const tokens = () => gateway.chat.db.tokens.countDocuments({ user: eve.id, ended: { $ne: true } })
  const users = () => gateway.chat.db.users.countDocuments({ id: eve.id })
  const ofEve = async () => {
    const { devices, prefs, blocks } = gateway.chat.db
    const userKey = `${gateway.app}\0${eve.id}`
    const found = [devices.countDocuments({ userKey }), prefs.countDocuments({ userKey })]
    return Promise.all([...found, blocks.countDocuments({ blockerKey: userKey })])
  }
  const endTokens = async () => {
    assert.equal((await gateway.admin('DELETE', `/admin/clients/${eve.id}/token`)).status, 200)
  }

  /** Runs something before a process's next transaction begins. */
  function beforeNext(db: Db, act: (session: Session) => Promise<unknown> | void): void {
    const { client } = db
    const withSession = client.withSession.bind(client)
    client.withSession = async (...of: unknown[]) => {
      // The driver's own sessions, for bulk writes, have options.
      const [work] = of as [(session: Session) => Promise<unknown>]
      if (of.length > 1) return withSession(...(of as Parameters<typeof withSession>))
      client.withSession = withSession
      return withSession(async (session) => {
        await act(session)
        return work(session)
      })
    }
  }

  /** Starts `rival` once `act` is written but not committed; commits when `rival` is done or has hit the locked document. */
  async function meanwhile(act: () => Promise<Answer>, rival: () => Promise<Answer>): Promise<[Answer, Answer]> {
    let over: Promise<Answer> | undefined
    beforeNext(gateway.chat.db, (session) => {
      const commit = session.commitTransaction.bind(session)
      session.commitTransaction = async () => {
        session.commitTransaction = commit
        const waits = Promise.withResolvers<void>()
        beforeNext(other.chat.db, (ofRival) => {
          const abort = ofRival.abortTransaction.bind(ofRival)
          ofRival.abortTransaction = async () => {
            waits.resolve()
            return abort()
          }
        })
        over = rival()
        await Promise.race([over, waits.promise])
        return commit()
      }
    })
    const answer = await act()
    assert.ok(over, JSON.stringify(answer.body))
    return [answer, await over]
  }

  for (const [what, give] of Object.entries({ issued: () => issue(), bound: bind })) {
    test(`a token being ${what} is revoked with the ban, and with the user`, async () => {
      await endTokens()
      const [given, banned] = await meanwhile(give, ban)
      assert.deepEqual([given.status, banned.status], [200, 200])
      assert.equal(await tokens(), 0)

      eve = await gateway.newUser()
      await endTokens()
      const [, erased] = await meanwhile(give, erase)
      assert.equal(erased.status, 200)
      assert.deepEqual([await tokens(), await users()], [0, 0])
    })
  }

  test('a token is refused to a user banned after they were read: 403 USER_BANNED', async () => {
    await endTokens()
    const { tokens: collection } = gateway.chat.db
    const find = collection.find.bind(collection)
    // The user is read by then.
    collection.find = ((...of: Parameters<typeof find>) => {
      collection.find = find
      const found = find(...of)
      const toArray = found.toArray.bind(found)
      found.toArray = async () => {
        assert.equal((await ban()).status, 200)
        return toArray()
      }
      return found
    }) as typeof find
    assert.deepEqual(codeOf(await issue()), [403, 'USER_BANNED'])
    assert.equal(await tokens(), 0)
  })

  test('of two concurrently issued tokens the last one stays valid', async () => {
    await endTokens()
    const answers = await meanwhile(issue, () => issue(other))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.equal(await tokens(), 1)
  })

  for (const [what, give] of Object.entries(asEve)) {
    test(`${what} ends with the user; after that it is refused: 401 INVALID_TOKEN`, async () => {
      const [given, erased] = await meanwhile(give, erase)
      assert.deepEqual([given.status, erased.status], [200, 200])
      assert.deepEqual(await ofEve(), [0, 0, 0])

      eve = await gateway.newUser()
      // The request has passed authentication by then.
      beforeNext(gateway.chat.db, async () => assert.equal((await erase()).status, 200))
      assert.deepEqual(codeOf(await give()), [401, 'INVALID_TOKEN'])
      assert.deepEqual(await ofEve(), [0, 0, 0])
    })
  }

  test('a scheduled message is deleted with its sender; after that it is refused: 404 CLIENT_NOT_FOUND', async () => {
    const { scheduled } = gateway.chat.db
    const schedule = async () => {
      const later = { sender: eve.id, message: 'x', messageType: 'text', sendAtMS: Date.now() + 3_600_000 }
      return gateway.admin('POST', '/scheduled', { room, ...later })
    }
    let room = await gateway.newRoom([eve])
    const [given, erased] = await meanwhile(schedule, erase)
    assert.deepEqual([given.status, erased.status], [200, 200])
    assert.equal(await scheduled.countDocuments({ sender: eve.id }), 0)

    eve = await gateway.newUser()
    room = await gateway.newRoom([eve])
    // The sender is read by then.
    beforeNext(gateway.chat.db, async () => assert.equal((await erase()).status, 200))
    assert.deepEqual(codeOf(await schedule()), [404, 'CLIENT_NOT_FOUND'])
    assert.equal(await scheduled.countDocuments({ sender: eve.id }), 0)
  })

  test('saving a group with a member erased meanwhile is 404 CLIENT_NOT_FOUND', async () => {
    const saveGroup = () =>
      gateway.admin('POST', '/admin/groups', { _id: `of ${eve.id}`, nickname: 'T', members: ['bob', eve.id] })
    const groups = () => gateway.chat.db.users.countDocuments({ groupMembers: eve.id })
    const [saved, erased] = await meanwhile(saveGroup, erase)
    assert.deepEqual([saved.status, erased.status], [200, 200])
    assert.equal(await groups(), 0)

    eve = await gateway.newUser()
    // The members are read by then.
    beforeNext(gateway.chat.db, async () => assert.equal((await erase()).status, 200))
    assert.deepEqual(codeOf(await saveGroup()), [404, 'CLIENT_NOT_FOUND'])
    assert.equal(await groups(), 0)
  })
})
