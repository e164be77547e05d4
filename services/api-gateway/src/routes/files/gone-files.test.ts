import assert from 'node:assert/strict'
import { clearNext } from '@parley/chat/files/clear-files'
import { eraseNextRoom } from '@parley/chat/messages/changing/erase-messages'
import { deleteAppDocs } from '@parley/db/apps/app-deletion'
import { claimFileToCheck } from '@parley/db/files/files'
import { takeToClear } from '@parley/db/files/files-to-clear'
import { key } from '@parley/db/keys'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startTestGateway, type TestGateway, type TestUser } from '../../test-gateway.ts'
import { lookAtAll, png, upload } from './test-files.ts'

const minuteMS = 60_000
const hourMS = 60 * minuteMS

describe('a file is deleted, also from the store, once no message has it', () => {
  let gateway: TestGateway
  let alice: TestUser
  let bob: TestUser
  let room: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    alice = await gateway.newUser()
    bob = await gateway.newUser()
    room = await gateway.newRoom([alice, bob])
  })
  afterAll(() => gateway.stop())

  const picture = { name: 'a.png', type: 'image/png' }
  /** Uploads a file and sends it to rooms; returns its ID and those of the messages. */
  async function sent(rooms: readonly string[], more: object = {}, by = alice): Promise<[string, ...string[]]> {
    const id = await upload(by.call, png, picture)
    const messages: string[] = []
    for (const to of rooms) {
      const body = { message: 'x', messageType: 'image', attachments: [{ fileID: id }], ...more }
      messages.push((await by.call('POST', `/rooms/${to}/message`, body)).body.result._id)
    }
    return [id, ...messages]
  }
  const statusFor = async (user: TestUser, id: string) => (await user.call('GET', `/files/${id}`)).status
  /** Clears everything that is due some time from now. */
  async function clear(laterMS = 2 * minuteMS): Promise<void> {
    const nowMS = Date.now() + laterMS
    const { chat, store } = gateway
    do await lookAtAll(chat, gateway, nowMS)
    while (await clearNext(chat, store, nowMS))
  }
  /** Whether a file exists: in the database, and in the store. */
  async function isThere(id: string): Promise<boolean> {
    const file = await gateway.chat.db.files.findOne({ _id: key(gateway.app, id) })
    if (file) await gateway.store.firstBytes(id, file.stored ?? '')
    else if (ids.has(id)) await assert.rejects(gateway.store.firstBytes(id, ids.get(id) ?? ''))
    return file !== null
  }
  const ids = new Map<string, string>()
  /** Remembers the names of the uploads in the store. */
  async function remember(...files: string[]): Promise<void> {
    for (const id of files) {
      const file = await gateway.chat.db.files.findOne({ _id: key(gateway.app, id) })
      ids.set(id, file?.stored ?? '')
    }
  }

  test('recalled, deleted for all, deleted with its room or thread: at once for members, then from the store', async () => {
    const [recalled, message] = await sent([room])
    const [deleted, other] = await sent([room])
    // A type of that name, not a recall.
    const [root, rootMessage] = await sent([room], { messageType: 'recall' })
    const [inThread] = await sent([room], { replyTo: rootMessage, thread: true })
    await remember(recalled, deleted, root, inThread)
    assert.equal(await statusFor(bob, inThread), 200)
    await alice.call('POST', `/rooms/${room}/message`, { _id: message, messageType: 'recall' })
    await gateway.admin('DELETE', `/rooms/${room}/messages/${other}`)
    assert.deepEqual([await statusFor(bob, recalled), await statusFor(bob, deleted)], [404, 404])
    assert.equal(await statusFor(bob, root), 200)
    await clear(0)
    assert.equal(await isThere(recalled), true, 'it was sent a moment ago: another send may be on its way')
    await clear()
    assert.deepEqual([await isThere(recalled), await isThere(deleted), await isThere(root)], [false, false, true])
    const { body } = await bob.call('GET', `/rooms/${room}/messages/v3`)
    assert.equal(body.result.data.filter(({ attachments }: { attachments?: unknown }) => attachments).length, 1)

    await gateway.admin('DELETE', `/rooms/${room}/messages/_all`)
    assert.deepEqual([await statusFor(bob, root), await statusFor(bob, inThread)], [404, 404])
    const isErased = () => eraseNextRoom(gateway.chat, new AbortController().signal)
    await vi.waitUntil(isErased, { timeout: 100_000 })
    await clear()
    assert.deepEqual([await isThere(root), await isThere(inThread)], [false, false])
  })

  test('a send repeated under its key returns the first message, even if its files and quote are gone', async () => {
    const [, root] = await sent([room])
    const repeats: [body: object, id: string][] = []
    for (const [clientMessageID, more] of [
      ['reply', { replyTo: root }],
      ['in thread', { replyTo: root, thread: true }],
    ] as const) {
      const [fileID, message = ''] = await sent([room], { clientMessageID, ...more })
      const body = { message: 'x', messageType: 'image', attachments: [{ fileID }], clientMessageID, ...more }
      repeats.push([body, message])
    }
    const write = (body: object) => alice.call('POST', `/rooms/${room}/message`, body)
    for (const _id of [...repeats.map(([, id]) => id), root]) await write({ _id, messageType: 'recall' })
    await clear()
    for (const [body, message] of repeats) {
      const { status, body: again } = await write(body)
      assert.deepEqual([status, again.result?._id, again.result?.messageType], [200, message, 'recall'])
      assert.equal((await write({ ...body, clientMessageID: 'another' })).body.error.code, 'FILE_NOT_FOUND')
    }
  })

  test('not while another message has it; and with its room', async () => {
    const second = await gateway.newRoom([alice, bob])
    const third = await gateway.newRoom([alice, bob])
    const [id, first] = await sent([room, second, third])
    await remember(id)
    await gateway.admin('DELETE', `/rooms/${room}/messages/${first}`)
    await gateway.admin('DELETE', `/rooms/${second}`)
    await clear()
    assert.deepEqual([await isThere(id), await statusFor(bob, id)], [true, 200])
    await gateway.admin('DELETE', `/rooms/${third}`)
    assert.equal(await statusFor(bob, id), 404)
    await clear()
    assert.equal(await isThere(id), false)
  })

  test('a day after its announcement, if it was never sent or its send was refused', async () => {
    const id = await upload(alice.call, png, picture)
    const refused = await upload(alice.call, png, picture)
    const frozen = await gateway.newRoom([alice, bob])
    await gateway.admin('PUT', `/rooms/${frozen}`, { status: 0 })
    const body = { message: 'x', messageType: 'image', attachments: [{ fileID: refused }] }
    assert.equal((await alice.call('POST', `/rooms/${frozen}/message`, body)).body.error.code, 'ROOM_FROZEN')
    const waiting = (await alice.call('POST', '/files', { ...picture, size: 5 })).body.result
    const [used] = await sent([room])
    await remember(id, refused)
    const left = async () => [await isThere(id), await isThere(refused), await statusFor(alice, waiting.fileID)]
    await clear(23 * hourMS)
    assert.deepEqual(await left(), [true, true, 200])
    await clear(25 * hourMS)
    assert.deepEqual(await left(), [false, false, 404])
    const late = await fetch(waiting.upload.url, { method: 'PUT', body: 'abcde' })
    assert.equal(late.status, 404)
    assert.equal(await isThere(used), true)
  })

  test("with its user, even while a message has it; other users' files stay", async () => {
    const carol = await gateway.newUser()
    const own = await gateway.newRoom([alice, carol])
    const [id, message] = await sent([own], {}, carol)
    const [others] = await sent([own])
    await remember(id)
    await gateway.admin('DELETE', `/admin/clients/${carol.id}`)
    await clear()
    assert.deepEqual([await isThere(id), await isThere(others)], [false, true])
    assert.equal(await statusFor(alice, id), 404)
    const { body } = await alice.call('GET', `/rooms/${own}/messages/v3`)
    assert.equal(body.result.data.find(({ _id }: { _id: string }) => _id === message).attachments[0].fileID, id)
  })

  test('a picture gets a thumbnail, deleted with it; a truncated picture has none', async () => {
    const [id, message] = await sent([room])
    const broken = await upload(alice.call, png.subarray(0, 40), picture)
    await clear(0)
    const { thumbnail } = (await bob.call('GET', `/files/${id}`)).body.result
    assert.deepEqual([thumbnail.width, thumbnail.height], [1, 1])
    const answer = await fetch(thumbnail.url)
    assert.equal(answer.headers.get('content-type'), 'image/webp')
    assert.equal(Buffer.from(await answer.arrayBuffer()).toString('latin1', 8, 12), 'WEBP')
    const other = (await alice.call('GET', `/files/${broken}`)).body.result
    assert.deepEqual([other.status, other.thumbnail], ['uploaded', undefined])
    await gateway.admin('DELETE', `/rooms/${room}/messages/${message}`)
    await clear()
    assert.equal((await fetch(thumbnail.url)).status, 404)
  })

  test('thumbnails are retried while the store is unavailable; an unsent picture is still deleted', async () => {
    const { chat, store } = gateway
    const [id] = await sent([room])
    const unsent = await upload(alice.call, png, picture)
    const away = () => Promise.reject(new Error('the store is away'))
    let nowMS = Date.now()
    for (const broken of [{ readAll: away }, { keep: away }]) {
      for (let tries = 0; tries < 4; tries++) {
        await lookAtAll(chat, { store: { ...store, ...broken } }, nowMS)
        nowMS += 4 * hourMS
      }
    }
    assert.equal(await statusFor(alice, unsent), 404)
    await lookAtAll(chat, gateway, nowMS)
    const { thumbnail } = (await bob.call('GET', `/files/${id}`)).body.result
    assert.deepEqual([thumbnail?.width, thumbnail?.height], [1, 1])
  })

  test('even if the process that claimed the work died', async () => {
    const [id, message] = await sent([room])
    await clear(0)
    await remember(id)
    await gateway.admin('DELETE', `/rooms/${room}/messages/${message}`)
    const taken = await claimFileToCheck(gateway.chat.db, Date.now(), 'others')
    assert.equal(taken?.id, id)
    await clear(3 * minuteMS)
    assert.equal(await isThere(id), false)
    // Bytes uploaded later, to a URL that is still valid, go too.
    await clear(2 * hourMS)
    assert.equal(await takeToClear(gateway.chat.db, Date.now() + 24 * hourMS), null)
  })

  test('with its app', async () => {
    const [id] = await sent([room])
    await remember(id)
    await deleteAppDocs(gateway.chat.db, gateway.app, () => undefined)
    await clear()
    assert.equal(await isThere(id), false)
  })
})
