import assert from 'node:assert/strict'
import type { ConnectOptions } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { isServerError } from '@parley/db/server-errors'
import { newUserDoc } from '@parley/db/users/users'
import { testServers } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { openMongoProxy } from '../../test-mongo-proxy.ts'

describe('in a busy room, a change locks the room before it reads, so that sends cannot make it start again', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
    await gateway.newUser('carl')
    room = await gateway.newRoom([alice, bob], { owner: 'alice', opening: 1 })
  })
  afterAll(() => gateway.stop())

  const changes: Record<string, () => ReturnType<TestUser['call']>> = {
    'its name': () => alice.call('PUT', `/rooms/${room}`, { name: 'new' }),
    'a role': () => alice.call('PUT', `/rooms/${room}/member/bob`, { property: 'role', value: 'admin' }),
    'an invitation': () =>
      alice.call('POST', `/rooms/${room}/members`, { invitees: ['carl'], invitationRequired: true }),
    'a new member': () => alice.call('POST', `/rooms/${room}/members`, { invitees: ['carl'] }),
    'a removal': () => alice.call('POST', `/rooms/${room}/delete/members`, { members: ['carl'] }),
    'a ban': () => alice.call('POST', `/blockStatus/room/${room}/bob`),
    'the end of a ban': () => alice.call('DELETE', `/blockStatus/room/${room}/bob`),
    'a member who leaves': () => bob.call('POST', `/rooms/${room}/delete/members`, { members: ['bob'] }),
    'a member who joins': () => bob.call('POST', `/rooms/${room}/join`),
    'the erasure of a member': () => gateway.admin('DELETE', '/admin/clients/bob'),
    'its end': () => alice.call('DELETE', `/rooms/${room}`),
  }
  for (const [change, make] of Object.entries(changes)) {
    test(change, async () => {
      /** The commands of the transactions that write the room, by transaction. */
      const commands = new Map<string, string[]>()
      const note: NonNullable<ConnectOptions['onCommand']> = ({ command, commandName }) => {
        if (command['autocommit'] !== false) return
        const transaction = `${command['lsid'].id.toString('hex')} ${command['txnNumber']}`
        const own = commands.get(transaction) ?? []
        const of = JSON.stringify(command['updates'] ?? command['query'] ?? {}).includes(room) ? 'this' : 'other'
        commands.set(transaction, [...own, `${commandName} ${command[commandName]}: ${of}`])
      }
      const { client } = gateway.chat.db
      client.on('commandStarted', note)
      onTestFinished(() => void client.off('commandStarted', note))
      const answer = await make()
      assert.equal(answer.status, 200, answer.text)
      const isWrite = (command: string) => ['findAndModify rooms: this', 'update rooms: this'].includes(command)
      const writing = [...commands.values()].filter((all) => all.some(isWrite))
      assert.notEqual(writing.length, 0)
      for (const all of writing) assert.ok(isWrite(all[0] ?? ''), all.join(', '))
    })
  }
})

test.each([
  ['few', 1, false],
  ['many', 101, true],
])(
  '%s new members are added although messages are sent while the facts about them are read',
  async (_, count, areReadOnce) => {
    const servers = await testServers()
    const proxy = await openMongoProxy(Number(new URL(servers.mongoUrl).port))
    const gateway = await startTestGateway()
    const { db } = gateway.chat
    const mongoUrl = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`
    const slow = await gateway.another({ mongoUrl })
    onTestFinished(async () => {
      await slow.stop()
      await proxy.stop()
      await gateway.stop()
    })
    const alice = await gateway.newUser('alice')
    const room = await gateway.newRoom([alice])
    const invitees = Array.from({ length: count }, (_one, i) => `user ${i}`)
    await db.users.insertMany(invitees.map((id) => newUserDoc(gateway.app, id, {})))
    let reads = 0
    const _id = key(gateway.app, room)
    const changeAfterRead = () =>
      proxy.meet(['aggregate', key(gateway.app, room, 'user 0')], async (command) => {
        reads++
        await command.arrive()
        // Like a send. In a transaction, it fails at once if the room is locked.
        const send = db.client.withSession(async (session) => {
          session.startTransaction()
          await db.rooms.updateOne({ _id }, { $inc: { clockMS: 1 } }, { session })
          await session.commitTransaction()
        })
        await send.catch((error: unknown) => assert.ok(isServerError(error, 'WriteConflict')))
        changeAfterRead()
      })
    changeAfterRead()
    const answer = await slow.admin('POST', `/rooms/${room}/members`, { invitees })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(reads === 1, areReadOnce)
  },
)
