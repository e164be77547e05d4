import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { relay } from '@parley/chat/events/relay'
import { runWorkers } from '@parley/chat/jobs/run-workers'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { DyingChange } from '../../test-dying-change.ts'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'

let gateway: TestGateway
let alice: TestUser
let bob: TestUser
beforeAll(async () => {
  gateway = await startTestGateway()
  ;[alice, bob] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
})
afterAll(() => gateway.stop())

const send = async (room: string, sender: string, more: object = {}) =>
  (await gateway.admin('POST', '/messages', { room, sender, message: 'x', messageType: 'text', ...more })).body.result
const about = (root: { _id: string }) => ({ replyTo: root._id, thread: true })

interface Listed {
  unreadThreads: number
  data: { root: { _id: string; threadCount: number }; totalCount: number; unread: number }[]
  cursor?: string
}
const list = async (user: TestUser, query = ''): Promise<Listed> =>
  (await user.call('GET', `/threads?${query}`)).body.result
const shown = ({ data }: Listed) => data.map(({ root, totalCount, unread }) => [root._id, totalCount, unread])

describe('GET /threads', () => {
  test('shows nothing of a root that the caller deleted for themselves', async () => {
    const room = await gateway.newRoom([alice, bob], { owner: 'alice' })
    const root = await send(room, 'bob', { message: 'hidden' })
    await send(room, 'alice', about(root))
    await bob.call('POST', '/messages/user-delete', { room, messages: [root._id] })
    const rootOf = async (user: TestUser) => {
      const [listed] = (await user.call('GET', '/threads')).body.result.data
      return [listed.root._id, listed.root.message, listed.root.isDeleted]
    }
    assert.deepEqual(await rootOf(bob), [root._id, undefined, true])
    assert.deepEqual(await rootOf(alice), [root._id, 'hidden', false])
    const { userDeletedIDs } = (await bob.call('GET', `/messages/${root._id}/thread`)).body.result
    assert.deepEqual(userDeletedIDs, [root._id])
    await gateway.admin('DELETE', `/rooms/${room}`)
  })

  test("has the thread of a returning member's message whose first reply came while they were out", async () => {
    const room = await gateway.newRoom([alice, bob], { owner: 'alice' })
    const root = await send(room, 'bob')
    await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['bob'] })
    await send(room, 'alice', about(root))
    assert.deepEqual(shown(await list(bob)), [])
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['bob'] })
    assert.deepEqual(shown(await list(bob)), [[root._id, 1, 1]])
    await gateway.admin('DELETE', `/rooms/${room}`)
  })

  test('lists the threads in which the caller takes part, latest first, in pages, with unread counts', async () => {
    const room = await gateway.newRoom([alice, bob], { owner: 'alice' })
    const other = await gateway.newRoom([alice, bob], { owner: 'alice' })
    assert.deepEqual(await list(bob), { unreadThreads: 0, data: [] })
    const roots = [await send(room, 'bob'), await send(other, 'bob'), await send(room, 'alice')]
    const [first, second, third] = roots
    for (const root of roots) await send(root.room, 'alice', about(root))
    const last = await send(room, 'alice', about(first))
    assert.deepEqual(shown(await list(bob)), [
      [first._id, 2, 2],
      [second._id, 1, 1],
    ])
    assert.deepEqual(shown(await list(alice)), [
      [first._id, 2, 0],
      [third._id, 1, 0],
      [second._id, 1, 0],
    ])
    const page = await list(alice, 'limit=2')
    const rest = await list(alice, `limit=2&cursor=${encodeURIComponent(page.cursor ?? '')}`)
    assert.deepEqual([shown(page).length, shown(rest), rest.cursor], [2, [[second._id, 1, 0]], undefined])

    await bob.call('PUT', `/messages/${first._id}/thread/lastRead`, { message: last._id })
    const unread = await list(bob, 'unread=true')
    assert.deepEqual([unread.unreadThreads, shown(unread)], [1, [[second._id, 1, 1]]])
    await alice.call('DELETE', `/rooms/${other}/messages/_all`)
    assert.deepEqual(shown(await list(bob)), [
      [first._id, 2, 0],
      [second._id, 1, 0],
    ])
    await gateway.admin('POST', `/rooms/${room}/delete/members`, { members: ['bob'] })
    assert.deepEqual(shown(await list(bob)), [[second._id, 1, 0]])
    await gateway.admin('POST', `/rooms/${room}/members`, { invitees: ['bob'] })
    assert.equal((await list(bob)).data.length, 2)
    await alice.call('DELETE', `/rooms/${other}`)
    assert.deepEqual(shown(await list(bob)), [[first._id, 2, 0]])
    for (const query of ['cursor=x', 'limit=0', 'unread=maybe']) {
      const { status, body } = await bob.call('GET', `/threads?${query}`)
      assert.deepEqual([status, body.error.code], [400, 'INVALID_QUERY'], query)
      assert.ok(body.error.message.startsWith(query.slice(0, query.indexOf('='))))
    }
  })

  test("a moved marker is emitted to the user's other devices; an unchanged one is not", async () => {
    const room = await gateway.newRoom([alice, bob])
    const root = await send(room, 'bob')
    const [first, last] = [await send(room, 'alice', about(root)), await send(room, 'alice', about(root))]
    const heard = await gateway.hear()
    const read = (message: string) => bob.call('PUT', `/messages/${root._id}/thread/lastRead`, { message })
    for (const { _id } of [last, first, last]) assert.equal((await read(_id)).body.result.unread, 0)
    await bob.call('POST', '/me/pref/done', { data: 1 })
    await heard.next('myPrefChange')
    const moved = heard.events.filter(({ event }) => event === 'threadLastRead')
    assert.deepEqual(
      moved.map(({ to, payload }) => [to, payload]),
      [
        [
          { app: gateway.app, user: 'bob' },
          { roomID: room, threadOf: root._id, messageID: last._id, unread: 0 },
        ],
      ],
    )
  })
})

describe('a thread', () => {
  for (const step of ['taken', 'stored', 'committed'] as const) {
    test(`has no gap in seq when a sender is killed (-9) with the change ${step}`, async () => {
      const room = await gateway.newRoom([alice, bob])
      const root = await send(room, 'bob')
      await send(room, 'alice', about(root))
      const heard = await gateway.hear()
      const clientMessageID = `dying ${step}`
      const { mongoUrl, natsUrl } = await testServers()
      const work: DyingChange = {
        mongoUrl: withDatabase(mongoUrl, gateway.chat.db.mongo.databaseName),
        natsUrl,
        step,
        send: {
          ...{
            app: gateway.app,
            room,
            sender: 'alice',
            message: 'x',
            messageType: 'text',
            push: false,
            clientMessageID,
          },
          ...about(root),
        },
      }
      const child = fork(join(import.meta.dirname, '../../test-dying-change.ts'), [JSON.stringify(work)])
      assert.equal((await once(child, 'exit'))[1], 'SIGKILL')

      const again = await send(room, 'alice', { ...about(root), clientMessageID })
      await send(room, 'alice', about(root))
      const { data, totalCount, unread } = (await bob.call('GET', `/messages/${root._id}/thread`)).body.result
      const seqs = data.map(({ seq }: { seq: number }) => seq)
      assert.deepEqual([totalCount, unread, seqs.toSorted()], [3, 3, [1, 2, 3]])
      assert.equal(again.seq, 2)
      const stopped = new AbortController()
      const relaying = runWorkers(gateway.chat, [relay(gateway.chat)], stopped.signal)
      await heard.next('thread message', ({ _id }: { _id: string }) => _id === again._id)
      stopped.abort()
      await relaying
    })
  }
})
