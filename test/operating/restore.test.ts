import assert from 'node:assert/strict'
import { cp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

/** docs/operations.md, "Backup and restore", step by step. */
describe('a backup of MongoDB', () => {
  let platform: Platform
  let alice: PlatformUser
  let bob: PlatformUser
  let room: string
  let services: RunningService[]

  beforeAll(async () => {
    platform = await startPlatform({ toKill: ['mongo', 'nats'] })
    services = await startServices()
    alice = await platform.newUser()
    bob = await platform.newUser()
    room = await platform.newRoom([alice.id, bob.id])
  })
  afterAll(() => platform.stop())

  const names = ['api-gateway', 'realtime', 'push', 'stats'] as const
  const startServices = () => Promise.all(names.map((name) => platform.start(name)))

  const send = (text: string) =>
    alice.call('POST', `/rooms/${room}/message`, { message: text, messageType: 'text', clientMessageID: text })
  async function history(): Promise<[seq: unknown, text: unknown][]> {
    const { data } = (await bob.call('GET', `/rooms/${room}/messages/v3?limit=100`)) as { data: Message[] }
    return data.map(({ seq, message }): [unknown, unknown] => [seq, message]).toReversed()
  }
  const unread = async () => (await bob.call('GET', '/me/badge'))['badge']

  /** Copies a mongod's files while writes are locked (MongoDB's manual, "Back Up with Filesystem Snapshots"). */
  async function backUp(): Promise<string> {
    const { dir, url } = platform.servers.mongo
    const client = new MongoClient(url)
    const copy = `${dir}-backup`
    try {
      await client.db('admin').command({ fsync: 1, lock: true })
      await cp(String(dir), copy, { recursive: true, filter: (file) => !file.endsWith('mongod.lock') })
      await client.db('admin').command({ fsyncUnlock: 1 })
    } finally {
      await client.close()
    }
    return copy
  }

  async function restore(copy: string): Promise<void> {
    const { mongo, nats } = platform.servers
    await Promise.all([mongo.stop(), nats.stop()])
    await rm(String(mongo.dir), { recursive: true })
    await rename(copy, String(mongo.dir))
    await rm(join(String(nats.dir), 'jetstream'), { recursive: true })
    await Promise.all([mongo.restart(), nats.restart()])
  }

  test('restores everything, and all services continue from there', async () => {
    const before = await Promise.all(Array.from({ length: 20 }, (_, i) => send(`before ${i}`)))
    const kept = await history()
    assert.equal(kept.length, 20)
    await bob.call('PUT', `/rooms/${room}/lastRead`, { message: before.find(({ seq }) => seq === 15)?.['_id'] })
    assert.equal(await unread(), 5)
    const copy = await backUp()

    await send('after')
    const late = await platform.newUser()
    assert.equal((await history()).length, 21)

    await Promise.all(services.map((service) => service.stop()))
    await restore(copy)
    services = await startServices()

    assert.deepEqual([await history(), await unread()], [kept, 5])
    const socket = await platform.connect(services[1] as RunningService, bob)
    const heard: unknown[] = []
    socket.on('chat message', ({ seq, message }: Message) => heard.push([seq, message]))
    // The restored database lacks later sends, so the same idempotency key sends again.
    const again = await send('after')
    assert.equal(again['seq'], 21)
    await eventually('it is heard', () => heard.some((one) => String(one) === '21,after'))
    assert.equal(await unread(), 6)
    await assert.rejects(late.call('GET', '/me'), /INVALID_TOKEN/)
    const counted = async () => (await platform.admin('GET', '/admin/stats'))['messageCount']
    await eventually('the statistics have all of them', async () => (await counted()) === 21)
    socket.disconnect()
  })
})

interface Message {
  seq: number
  message: string
}
