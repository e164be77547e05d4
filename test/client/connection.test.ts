import assert from 'node:assert/strict'
import { createClient, type TokenAsked } from '@parley/client'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { eventually } from '../platform.ts'
import { clientOf, type Deployment, deploy, isOnline, online, texts } from './client-of.ts'
import { underPath } from './under-path.ts'

describe('a client reconnects', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy()
  })
  afterAll(() => deployment.stop())

  const newToken = async (_id: string) =>
    String((await deployment.platform.admin('POST', '/admin/clients', { _id, issueAccessToken: true }))['token'])

  test('with a new token after its own has expired, if it can fetch one', async () => {
    const { platform } = deployment
    await platform.newUser('carol')
    const room = await platform.newRoom(['carol'])
    let token = await newToken('carol')
    let fetched = 0
    const fetchToken = async () => {
      fetched++
      return token
    }
    const client = clientOf(deployment, { token: '' }, { token: fetchToken })
    await online(client)
    assert.equal(fetched, 1)
    token = await newToken('carol')
    await eventually('it has fetched the new one', () => fetched > 1)
    await online(client)
    assert.equal((await client.api.getRoom({ id: room }))._id, room)
  })

  test('with the current token if its own was replaced elsewhere', async () => {
    const erin = await deployment.platform.newUser('erin')
    const issued: Promise<string>[] = [newToken(erin.id)]
    // Like a server that caches the token and issues a new one when it is refused, once for all pages.
    const tokenOf = async ({ last }: TokenAsked) => {
      const kept = issued.at(-1)
      if ((await kept) === last && kept === issued.at(-1)) issued.push(newToken(erin.id))
      return (await issued.at(-1)) ?? ''
    }
    const clients = [1, 2].map(() => clientOf(deployment, { token: '' }, { token: tokenOf }))
    await Promise.all(clients.map(online))
    assert.equal(issued.length, 1)
    await newToken(erin.id)
    await eventually('it is issued anew', () => issued.length > 1)
    await Promise.all(clients.map(online))
    for (const client of clients) assert.equal((await client.api.getMe())._id, erin.id)
    assert.equal(issued.length, 2)
  })

  test('under a proxy path, over either transport', async () => {
    const url = await underPath('/chat-api', deployment)
    const user = await deployment.platform.newUser()
    const room = await deployment.platform.newRoom([user.id])
    for (const transport of ['websocket', 'polling'] as const) {
      const client = clientOf(deployment, user, { url: `${url}/`, transports: [transport] })
      assert.equal(client.connection.get().status, 'connecting')
      await online(client)
      await client.room(room).send(`over ${transport}`)
    }
    const reader = clientOf(deployment, user, { url })
    await online(reader)
    await reader.room(room).open()
    assert.deepEqual(texts(reader, room), ['over websocket', 'over polling'])
  })

  test('and reports why a room did not open, until it opens', async () => {
    const { platform } = deployment
    const [user, other] = await Promise.all([platform.newUser(), platform.newUser()])
    const id = await platform.newRoom([other.id])
    const client = clientOf(deployment, user)
    await online(client)
    const room = client.room(id)
    await assert.rejects(room.open(), { code: 'NOT_ROOM_MEMBER' })
    assert.equal(room.history.get().error?.code, 'NOT_ROOM_MEMBER')
    await assert.rejects(room.thread('none').open())
    assert.ok(room.thread('none').history.get().error)
    await platform.admin('POST', `/rooms/${id}/members`, { invitees: [user.id] })
    await room.open()
    assert.equal(room.history.get().error, undefined)
  })

  test('without a client key: the first login returns it, and earlier calls wait', async () => {
    const alice = await deployment.platform.newUser()
    const client = createClient({ url: `http://127.0.0.1:${deployment.front.port}`, token: alice.token })
    onTestFinished(() => client.close())
    assert.equal((await client.api.getMe())._id, alice.id)
    assert.equal(client.clientKey.get(), deployment.platform.clientKey)
    const refused = createClient({ url: `http://127.0.0.1:${deployment.front.port}`, token: 'not-a-token' })
    onTestFinished(() => refused.close())
    await assert.rejects(refused.api.getMe(), { code: 'INVALID_TOKEN' })
  })

  test('but stops with the reason when its token has ended for good', async () => {
    const dave = await deployment.platform.newUser('dave')
    const client = clientOf(deployment, dave)
    await online(client)
    await deployment.platform.admin('DELETE', '/admin/clients/dave/token', {}).catch(() => undefined)
    const state = await eventually('it stopped', () => {
      const state = client.connection.get()
      return state.status === 'stopped' ? state : undefined
    })
    assert.equal(state.error.code, 'INVALID_TOKEN')
    await assert.rejects(client.api.getMe(), { code: 'INVALID_TOKEN', status: 401 })
  })

  test('and catches up with messages, changes, rooms and the badge', async () => {
    const { platform } = deployment
    const [alice, bob] = await Promise.all([platform.newUser(), platform.newUser()])
    const room = await platform.newRoom([alice.id, bob.id])
    const say = async (message: string) =>
      String((await platform.admin('POST', '/messages', { room, sender: bob.id, message, messageType: 'text' }))['_id'])
    const first = await say('first')
    const hidden = await say('hidden')
    const client = clientOf(deployment, alice, { encoding: 'base64' })
    await online(client)
    await client.room(room).open()
    await deployment.killNode()
    await eventually('offline', () => !isOnline(client))
    await say('second')
    await bob.call('POST', `/rooms/${room}/message`, { _id: first, message: 'edited' })
    await alice.call('POST', '/messages/user-delete', { room, messages: [hidden] })
    const other = await platform.newRoom([alice.id])
    await deployment.newNode()
    await online(client)
    await eventually('all is shown', () => texts(client, room).length === 2)
    await eventually('the new room is listed', () => client.room(other).info.get())
    assert.deepEqual(texts(client, room), ['edited', 'second'])
    await eventually(
      'the badge agrees',
      async () => (await alice.call('GET', '/me/badge'))['badge'] === client.badge.get(),
    )
  })

  test('and a replayed deletion of all messages removes no later message', async () => {
    const { platform } = deployment
    const [alice, bob] = await Promise.all([platform.newUser(), platform.newUser()])
    const room = await platform.newRoom([alice.id, bob.id])
    const say = async (message: string, more = {}) =>
      String((await bob.call('POST', `/rooms/${room}/message`, { message, messageType: 'text', ...more }))['_id'])
    const client = clientOf(deployment, alice)
    const heard: string[] = []
    client.on('messageDeleted', () => heard.push('for all'))
    client.on('userDeleteMessages', () => heard.push('for me'))
    await client.room(room).open()
    await say('old')
    await eventually('it is shown', () => texts(client, room).length === 1)
    await platform.admin('DELETE', `/rooms/${room}/messages/_all`)
    await client.room(room).deleteAllForMe()
    await eventually('it is hidden', () => texts(client, room).length === 0)
    const root = await say('new')
    await say('in a thread', { replyTo: root, thread: true })
    await bob.call('POST', `/messages/${root}/pin`)
    const thread = client.room(room).thread(root)
    await thread.open()
    await eventually('it is pinned', () => client.room(room).pinned.get().length === 1)

    await deployment.killNode()
    await eventually('offline', () => !isOnline(client))
    await deployment.newNode()
    await online(client)
    await eventually('both were replayed', () => heard.length >= 4)
    const shown = () => ({
      room: texts(client, room),
      thread: thread.messages.get().map(({ message }) => message),
      pinned: client
        .room(room)
        .pinned.get()
        .map(({ message }) => message),
    })
    assert.deepEqual(shown(), { room: ['new'], thread: ['in a thread'], pinned: ['new'] })
    assert.equal(thread.root.get()?.message, 'new')
  })

  test('and watches the same users as before', async () => {
    const { platform } = deployment
    const [alice, bob] = [await platform.newUser(), await platform.newUser()]
    await platform.newRoom([alice.id, bob.id])
    const client = clientOf(deployment, alice)
    const states: unknown[] = []
    onTestFinished(client.presence(bob.id).subscribe((now) => states.push(now?.state)))
    await eventually('bob is not there', () => states.at(-1) === 'offline')
    await deployment.killNode()
    await deployment.newNode()
    const bobs = clientOf(deployment, bob)
    await Promise.all([online(client), online(bobs)])
    await eventually('bob is there', () => states.at(-1) === 'online')
    bobs.close()
    await eventually('bob is gone', () => states.at(-1) === 'offline')
  })

  test('by long-polling if WebSockets are blocked', async () => {
    const erin = await deployment.platform.newUser()
    const room = await deployment.platform.newRoom([erin.id])
    const client = clientOf(deployment, erin, { transports: ['polling'], encoding: 'base64' })
    await online(client)
    await client.room(room).open()
    await client.room(room).send('Grüße 👋')
    await eventually('it is shown', () => texts(client, room).includes('Grüße 👋'))
  })
})
