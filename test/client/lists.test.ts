import assert from 'node:assert/strict'
import type { Client } from '@parley/client'
import { createThreads } from '@parley/client/threads'
import { createUploads } from '@parley/client/uploads'
import { afterAll, beforeAll, describe, onTestFinished, test, vi } from 'vitest'
import { eventually, type Platform } from '../platform.ts'
import { clientOf, type Deployment, deploy, online, texts } from './client-of.ts'

describe("a client's lists", () => {
  let deployment: Deployment
  let platform: Platform
  beforeAll(async () => {
    deployment = await deploy(2)
    platform = deployment.platform
  })
  afterAll(() => deployment.stop())

  const twoInARoom = async () => {
    const [alice, bob] = await Promise.all([platform.newUser(), platform.newUser()])
    return { alice, bob, room: await platform.newRoom([alice.id, bob.id], { owner: alice.id }) }
  }

  test('open invitations, old and new, without those that ended', async () => {
    const { alice } = await twoInARoom()
    const carl = await platform.newUser()
    const invite = async (name: string) => {
      const room = await platform.newRoom([alice.id], { name, owner: alice.id })
      await alice.call('POST', `/rooms/${room}/members`, { invitees: [carl.id], invitationRequired: true })
      return room
    }
    const [first, second] = [await invite('first'), await invite('second')]
    const [phone, laptop] = [clientOf(deployment, carl), clientOf(deployment, carl)]
    const names = (client: Client) => client.invitations.get().map(({ roomName }) => roomName)
    await eventually('both list them', () =>
      [phone, laptop].every((client) => String(names(client)) === 'second,first'),
    )
    const third = await invite('third')
    await eventually('a new one', () => [phone, laptop].every((client) => names(client)[0] === 'third'))
    await phone.acceptInvitation(first)
    assert.ok(phone.rooms.get().some(({ _id }) => _id === first))
    await eventually('it has ended for both', () => [phone, laptop].every((client) => !names(client).includes('first')))
    await phone.declineInvitation(second)
    assert.deepEqual(names(phone), ['third'])
    await platform.admin('DELETE', `/rooms/${third}`)
    await assert.rejects(phone.acceptInvitation(third), { code: 'ROOM_NOT_FOUND' })
    await eventually('nothing is left', () => names(phone).length === 0)
  })

  test('the pinned messages of a room, however old, as they change', async () => {
    const { alice, bob, room } = await twoInARoom()
    const say = async (message: string) =>
      String((await alice.call('POST', `/rooms/${room}/message`, { message, messageType: 'text' }))['_id'])
    const [first, second] = [await say('first'), await say('second')]
    await alice.call('POST', `/messages/${first}/pin`)
    for (let n = 0; n < 5; n++) await say(`more ${n}`)
    await alice.call('PUT', `/rooms/${room}/lastRead`, { message: await say('last') })
    const client = clientOf(deployment, alice)
    await client.room(room).open({ limit: 2 })
    const pinned = () => client.room(room).pinned.get()
    await eventually('the old one', () => pinned()[0]?._id === first)
    assert.ok(!texts(client, room).includes('first'), 'it is not loaded')
    await bob.call('POST', `/messages/${second}/pin`)
    await eventually('the newer one comes first', () => pinned()[0]?._id === second && pinned().length === 2)
    await client.room(room).edit(first, 'edited')
    await eventually('as it is now', () => pinned()[1]?.message === 'edited')
    await client.room(room).unpin(first)
    await platform.admin('DELETE', `/rooms/${room}/messages/${second}`)
    await eventually('none', () => pinned().length === 0)
  })

  test('the members that received a message, reported by their clients, also after being offline', async () => {
    const { alice, bob, room } = await twoInARoom()
    const a = clientOf(deployment, alice)
    await a.room(room).open()
    const early = await a.room(room).send('before bob is there')
    assert.deepEqual(a.room(room).deliveredTo(early._id), [])
    const b = clientOf(deployment, bob)
    await online(b)
    await eventually('it has reached bob', () => a.room(room).deliveredTo(early._id).includes(bob.id))
    const sent = await Promise.all([1, 2, 3].map((n) => a.room(room).send(n)))
    await eventually('and so have these', () => sent.every(({ _id }) => a.room(room).deliveredTo(_id).length === 1))
    assert.deepEqual(a.room(room).readBy(early._id), [])
    b.close()
    const late = await a.room(room).send('after')
    const again = clientOf(deployment, alice)
    await again.room(room).open()
    await eventually('a later client knows too', () => again.room(room).deliveredTo(early._id).includes(bob.id))
    assert.deepEqual(again.room(room).deliveredTo(late._id), [])
  })

  test("the user's threads with unread counts, on all devices", async () => {
    const { alice, bob, room } = await twoInARoom()
    const [phone, laptop, bobs] = [clientOf(deployment, alice), clientOf(deployment, alice), clientOf(deployment, bob)]
    const [onPhone, onLaptop] = [createThreads(phone), createThreads(laptop)]
    onTestFinished(() => [onPhone, onLaptop].forEach((threads) => threads.close()))
    await Promise.all([online(phone), online(laptop), bobs.room(room).open()])
    const [ofAlice, ofBob] = [await phone.room(room).send('of alice'), await bobs.room(room).send('of bob')]
    await bobs.room(room).thread(ofAlice._id).send('a question')
    await bobs.room(room).thread(ofBob._id).send('to bob')
    const counts = ({ list, unread }: typeof onPhone) => [
      unread.get(),
      ...list.get().map(({ root, totalCount, unread: ofThread }) => [root.message, totalCount, ofThread]),
    ]
    const are = (expected: unknown[]) => () =>
      [onPhone, onLaptop].every((threads) => JSON.stringify(counts(threads)) === JSON.stringify(expected))
    await eventually('one is of alice', are([1, ['of alice', 1, 1]]))
    await bobs.room(room).thread(ofAlice._id).send('another')
    await eventually('two are unread', are([1, ['of alice', 2, 2]]))
    await phone.room(room).thread(ofAlice._id).open()
    phone.room(room).thread(ofAlice._id).markRead()
    await eventually('alice has read them', are([0, ['of alice', 2, 0]]))
    await laptop.room(room).thread(ofBob._id).send('alice joins in')
    await eventually('the latest first', are([0, ['of bob', 2, 0], ['of alice', 2, 0]]))
    const later = createThreads(clientOf(deployment, alice))
    await eventually('a later client sees the same', () => String(counts(later)) === String(counts(onPhone)))
    later.close()
  })

  test('uploads with their state, failure and retry, also after a reload', async () => {
    const { alice, bob, room } = await twoInARoom()
    const kept = new Map<string, string>()
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
    }
    const first = clientOf(deployment, alice)
    const uploads = createUploads(first, { storage })
    const file = (text: string) => new Blob([text], { type: 'text/plain' })
    const key = uploads.add(file('hello'), { about: room, name: 'a.txt' })
    assert.partialDeepStrictEqual(uploads.list.get(), [
      { key, about: room, name: 'a.txt', size: 5, state: 'uploading' },
    ])
    const states = (of = uploads) => of.list.get().map(({ name, state, error }) => [name, state, error?.code])
    await eventually('it is there', () => states()[0]?.[1] === 'uploaded')
    // The gateway refuses content that does not match its type.
    uploads.add(new Blob(['no picture'], { type: 'image/png' }), { about: room, name: 'b.png' })
    await eventually('it failed', () => states()[1]?.[1] === 'failed')
    assert.equal(states()[1]?.[2], 'FILE_TYPE_MISMATCH')
    uploads.retry(uploads.list.get()[1]?.key ?? '')
    assert.deepEqual(states()[1], ['b.png', 'uploading', undefined])
    await eventually('it failed again', () => states()[1]?.[1] === 'failed')
    first.close()
    uploads.close()

    const second = clientOf(deployment, alice)
    const after = createUploads(second, { storage })
    const others = createUploads(clientOf(deployment, bob), { storage })
    await eventually('they are back', () => after.list.get().length === 2)
    assert.deepEqual(states(after), [
      ['a.txt', 'uploaded', undefined],
      ['b.png', 'failed', 'UPLOAD_INTERRUPTED'],
    ])
    assert.deepEqual(others.list.get(), [])
    const [whole, broken] = after.list.get()
    assert.ok(whole?.attachment && broken)
    const message = await second.room(room).send('sent later', { messageType: 'file', attachments: [whole.attachment] })
    assert.equal(message.attachments?.[0]?.name, 'a.txt')
    for (const one of [whole, broken]) after.remove(one.key)
    await eventually('nothing is kept', () => [...kept.values()].every((value) => value === '[]'))
  })

  test('an interrupted upload restarts after a reload; its bytes are stored until it completes', async () => {
    const { alice, room } = await twoInARoom()
    const kept = new Map<string, string>()
    const bytes = new Map<string, Blob>()
    const options = {
      storage: {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => kept.set(key, value),
      },
      files: {
        get: async (key: string) => bytes.get(key),
        set: async (key: string, file: Blob) => bytes.set(key, file),
        remove: async (key: string) => bytes.delete(key),
      },
    }
    const before = clientOf(deployment, alice)
    await online(before)
    const uploads = createUploads(before, options)
    const real = globalThis.fetch
    const silent = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      return init?.method === 'PUT' ? new Promise(() => undefined) : real(input, init)
    })
    onTestFinished(() => silent.mockRestore())
    const file = new Blob(['hello'], { type: 'text/plain' })
    const measures = { width: 64, height: 48, duration: 3 }
    const key = uploads.add(file, { about: room, name: 'a.txt', ...measures })
    const givenUp = uploads.add(file, { about: room, name: 'b.txt' })
    await eventually('their bytes are kept', () => bytes.size === 2 && [...kept.values()].join('').includes('b.txt'))
    uploads.remove(givenUp)
    await eventually('those of the other are not', () => [...bytes.keys()].join() === key)
    silent.mockRestore()

    const after = createUploads(clientOf(deployment, alice), options)
    onTestFinished(() => {
      uploads.close()
      after.close()
    })
    const attachment = await eventually('it is there', () => after.list.get()[0]?.attachment)
    assert.partialDeepStrictEqual(attachment, { name: 'a.txt', size: 5, ...measures })
    assert.equal(after.list.get().length, 1)
    await eventually('its bytes are kept no longer', () => bytes.size === 0)
  })

  test("a failed upload is retried at its URL and counts once against the user's limit", async () => {
    const { alice, room } = await twoInARoom()
    await platform.admin('POST', '/config', { fileLimits: { maxBytesPerUser: 8 } })
    onTestFinished(async () => void (await platform.admin('DELETE', '/config/fileLimits')))
    const client = clientOf(deployment, alice)
    await online(client)
    const uploads = createUploads(client)
    const real = globalThis.fetch
    let breaks = 2
    const breaking = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      if (init?.method !== 'PUT' || breaks === 0) return real(input, init)
      // First before the bytes arrive, then only the response is lost.
      if (--breaks === 0) await real(input, init)
      throw new TypeError('fetch failed')
    })
    onTestFinished(() => {
      breaking.mockRestore()
      uploads.close()
    })
    const key = uploads.add(new Blob(['hello'], { type: 'text/plain' }), { about: room, name: 'a.txt' })
    const outcome = () => [uploads.list.get()[0]?.state, uploads.list.get()[0]?.error?.code]
    const ended = () => outcome()[0] !== 'uploading'
    for (const _ of [1, 2]) {
      await eventually('it has failed', ended)
      assert.deepEqual(outcome(), ['failed', 'NETWORK_ERROR'])
      uploads.retry(key)
    }
    await eventually('it has ended', ended)
    assert.deepEqual(outcome(), ['uploaded', undefined])
  })
})
