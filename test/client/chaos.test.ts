import assert from 'node:assert/strict'
import type { Client } from '@parley/client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type PlatformUser } from '../platform.ts'
import { clientOf, type Deployment, deploy, isOnline } from './client-of.ts'

const clientCount = 16
const roomCount = 4
const kills = 3

describe('while realtime nodes are killed during sends', () => {
  let deployment: Deployment
  beforeAll(async () => {
    deployment = await deploy(2)
  })
  afterAll(() => deployment.stop())

  test('every client shows every message of its rooms once, in order, and every send arrives', async ({ annotate }) => {
    const { platform } = deployment
    const users = await Promise.all(Array.from({ length: clientCount }, () => platform.newUser()))
    const ids = users.map(({ id }) => id)
    const rooms = await Promise.all(Array.from({ length: roomCount }, () => platform.newRoom(ids)))
    const clients = users.map((user, n) =>
      clientOf(deployment, user, n % 2 === 0 ? {} : { encoding: 'base64', transports: ['polling', 'websocket'] }),
    )
    await eventually('every client is online', () => clients.every(isOnline))
    await Promise.all(clients.flatMap((client) => rooms.map((room) => client.room(room).open())))

    const sending = { on: true }
    const sent = new Map(rooms.map((room) => [room, new Set<string>()]))
    const sendAll = async (client: Client, n: number) => {
      for (let i = 0; sending.on; i++) {
        const room = String(rooms[(n + i) % roomCount])
        const text = `${n}: ${i}`
        const { message } = await client.room(room).send(text)
        assert.equal(message, text)
        sent.get(room)?.add(text)
      }
    }
    const senders = Promise.all(clients.map(sendAll))
    for (let n = 0; n < kills; n++) {
      await deployment.killNode()
      await deployment.newNode()
      await eventually('every client is online again', () => clients.every(isOnline))
    }
    sending.on = false
    await senders

    for (const room of rooms) {
      const history = await wholeHistory(users[0] as PlatformUser, room)
      assert.deepEqual(new Set(history.map(({ message }) => message)), sent.get(room))
      assert.equal(history.length, sent.get(room)?.size, 'no send arrived twice')
      const expected = history.map(({ _id }) => _id)
      for (const client of clients) {
        const shown = () => client.room(room).messages.get()
        await eventually('everything is shown', () => shown().length >= expected.length)
        assert.deepEqual(
          shown().map(({ _id }) => _id),
          expected,
        )
      }
    }
    await annotate(`${[...sent.values()].reduce((sum, { size }) => sum + size, 0)} messages`)
  })

  async function wholeHistory(user: PlatformUser, room: string): Promise<{ _id: string; message: string }[]> {
    const all: { _id: string; message: string; createdAtMS: number }[] = []
    for (;;) {
      const after = `afterTime=${all.at(-1)?.createdAtMS ?? 0}&timeRangeField=createdAt&limit=500`
      const { data } = await user.call('GET', `/rooms/${room}/messages/v3?${after}`)
      const page = data as typeof all
      if (page.length === 0) return all
      all.push(...page)
    }
  }
})
