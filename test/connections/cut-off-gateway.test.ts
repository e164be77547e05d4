import assert from 'node:assert/strict'
import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { call, eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'

describe('a gateway that is cut off from NATS', () => {
  let platform: Platform
  let cutOff: RunningService
  let node: RunningService
  let stop: () => Promise<void>

  beforeAll(async () => {
    platform = await startPlatform()
    const { hostname, port } = new URL(platform.servers.natsUrl.replace(/^nats:/, 'http:'))
    let isCut = false
    const proxy = await openTcpProxy(
      { host: hostname, port: Number(port) },
      (client, nats) => {
        closeTogether(client, nats)
        client.pipe(nats).pipe(client)
      },
      () => !isCut,
    )
    stop = async () => {
      await platform.stop()
      await proxy.close()
    }
    await platform.start('api-gateway')
    const natsUrl = platform.servers.natsUrl.replace(`${hostname}:${port}`, `127.0.0.1:${proxy.port}`)
    cutOff = await platform.start('api-gateway', { PARLEY_NATS_URL: natsUrl })
    node = await platform.start('realtime')
    isCut = true
    for (const socket of proxy.sockets) socket.destroy()
    await eventually('it is cut off', async () => 'nats' in (await readiness(cutOff)).failing)
  })
  afterAll(() => stop())

  async function open(user: PlatformUser) {
    const socket = await platform.connect(node, user)
    const heard: string[] = []
    socket.on('chat message', ({ message }: { message: string }) => heard.push(message))
    onTestFinished(() => void socket.close())
    return { socket, heard, hears: (text: string) => eventually(`it hears ${text}`, () => heard.includes(text)) }
  }
  const newUsers = (count: number) => Promise.all(Array.from({ length: count }, () => platform.newUser()))
  const send = (room: string, { id: sender }: PlatformUser, message: string) =>
    platform.admin('POST', '/messages', { room, sender, message, messageType: 'text' })
  const change = (room: string, path: string, body: object) => platform.admin('POST', `/rooms/${room}/${path}`, body)
  const ask = async (method: string, path: string, body: object) => {
    const { status } = await call(cutOff.url, method, path, { 'im-api-key': platform.apiKey }, body)
    assert.equal(status, 200)
  }

  test('removes members and tokens before its response', async () => {
    const [alice, leaves, ends] = (await newUsers(3)) as [PlatformUser, PlatformUser, PlatformUser]
    const room = await platform.newRoom([alice.id, leaves.id, ends.id])
    const [ofAlice, ofLeaves, ofEnds] = [await open(alice), await open(leaves), await open(ends)]
    await Promise.all([
      ask('POST', `/rooms/${room}/delete/members`, { members: [leaves.id] }),
      ask('DELETE', `/admin/clients/${ends.id}/token`, {}),
    ])
    await send(room, alice, 'later')
    await ofAlice.hears('later')
    assert.deepEqual([ofLeaves.heard, ofEnds.heard], [[], []])
    assert.ok(ofLeaves.socket.connected)
  })

  test('adds members who hear every message that counts as unread for them', async () => {
    const [alice, comes, first, last] = (await newUsers(4)) as [PlatformUser, PlatformUser, PlatformUser, PlatformUser]
    const room = await platform.newRoom([alice.id])
    const { _id: root } = await send(room, alice, 'before')
    const [ofAlice, ofComes] = [await open(alice), await open(comes)]
    const inThreads: unknown[] = []
    ofComes.socket.on('thread message', ({ message }) => inThreads.push(message))
    await ask('POST', `/rooms/${room}/members`, { invitees: [comes.id] })
    await send(room, alice, 'during')
    await ofAlice.hears('during')
    await change(room, 'members', { invitees: [first.id] })
    await send(room, alice, 'last')
    await ofComes.hears('last')
    assert.deepEqual(ofComes.heard, ['during', 'last'])

    const ofLast = await open(last)
    ofLast.socket.on('thread message', ({ message }) => inThreads.push(message))
    await ask('POST', `/rooms/${room}/members`, { invitees: [last.id] })
    const reply = { room, sender: alice.id, message: 'in the thread', messageType: 'text', replyTo: root, thread: true }
    await platform.admin('POST', '/messages', reply)
    await eventually('both hear the thread', () => inThreads.length === 2)
  })

  test.each<[string, (room: string, message: string, sender: PlatformUser) => Promise<unknown>]>([
    ['edits', (room, _id, { id: sender }) => change(room, 'message', { _id, sender, message: 'edited' })],
    ['deletions', (room, message) => platform.admin('DELETE', `/rooms/${room}/messages/${message}`)],
  ])('adds members who hear all %s of messages since', async (_name, makeChange) => {
    const [alice, carol, comes] = (await newUsers(3)) as [PlatformUser, PlatformUser, PlatformUser]
    const room = await platform.newRoom([alice.id, carol.id])
    const { _id: message } = await send(room, alice, 'before')
    const heard: unknown[] = []
    const { socket } = await open(comes)
    socket.on('messageUpdated', ({ _id }: { _id: string }) => heard.push(_id))
    socket.on('messageDeleted', ({ messageID }: { messageID: string }) => heard.push(messageID))
    await ask('POST', `/rooms/${room}/members`, { invitees: [comes.id] })
    await makeChange(room, String(message), alice)
    await send(room, carol, 'last')
    await eventually('the new member hears it', () => heard.length > 0)
    assert.deepEqual(heard, [message])
  })

  test('sends messages that members who return before they arrive do not hear', async () => {
    const [alice, returns] = (await newUsers(2)) as [PlatformUser, PlatformUser]
    const room = await platform.newRoom([alice.id, returns.id])
    const [ofAlice, stays] = [await open(alice), await open(returns)]
    for (let n = 0, isBefore = false; !isBefore; n++) {
      const late = `late ${n}`
      await ask('POST', '/messages', { room, sender: alice.id, message: late, messageType: 'text' })
      await change(room, 'delete/members', { members: [returns.id] })
      await change(room, 'members', { invitees: [returns.id] })
      const logsIn = await open(returns)
      isBefore = !ofAlice.heard.includes(late)
      await ofAlice.hears(late)
      await send(room, alice, `last ${n}`)
      await Promise.all([stays, logsIn].map(({ hears }) => hears(`last ${n}`)))
      if (isBefore) assert.deepEqual([stays.heard.includes(late), logsIn.heard], [false, [`last ${n}`]])
    }
  })
})
