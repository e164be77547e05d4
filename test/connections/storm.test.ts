import assert from 'node:assert/strict'
import { proves } from '@parley/conformance/proves'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

const waves = 3
/** Below the limit of a hundred connections per user and node. */
const crowd = { users: 4, perUser: 60 } as const

describe('a storm of reconnects', () => {
  let platform: Platform
  let node: RunningService
  beforeAll(async () => {
    platform = await startPlatform()
    await platform.start('api-gateway')
    node = await platform.start('realtime')
  })
  afterAll(() => platform.stop())

  /** Records a socket's events of a room's messages, in order of arrival. */
  function hear(socket: Socket): string[] {
    const heard: string[] = []
    socket.on('chat message', ({ message }: { message: string }) => heard.push(message))
    return heard
  }

  /** A stock client that authenticates on every connect. */
  function returning({ token }: PlatformUser) {
    const socket = io(node.url, { transports: ['websocket'], forceNew: true })
    onTestFinished(() => void socket.close())
    const state = { logins: 0, failures: [] as unknown[] }
    const authenticate = async () => {
      const { RC, error } = await socket.emitWithAck('auth2', token, {})
      if (RC === 0) state.logins++
      else state.failures.push(error)
    }
    socket.on('connect', () => void authenticate())
    return { socket, state, heard: hear(socket) }
  }

  test('serves every client, and connected clients get every event in order', async () => {
    proves('Events', 'delivered only while connected')
    const users = await Promise.all(Array.from({ length: crowd.users }, () => platform.newUser()))
    const there = await Promise.all(Array.from({ length: 3 }, () => platform.newUser()))
    const room = await platform.newRoom([...users, ...there].map(({ id }) => id))
    const present = await Promise.all(there.map((user) => platform.connect(node, user)))
    onTestFinished(() => present.forEach((socket) => void socket.close()))
    const heardByPresent = present.map(hear)
    const returned = users.flatMap((user) => Array.from({ length: crowd.perUser }, () => returning(user)))
    const allBack = (times: number) =>
      eventually(`every client has logged in ${times} times`, () =>
        returned.every(({ state }) => state.logins === times),
      )

    const sent: string[] = []
    const state = { isOver: false }
    const sending = (async () => {
      while (!state.isOver) {
        const message = `message ${sent.length}`
        await platform.admin('POST', '/messages', { room, sender: there[0]?.id, message, messageType: 'text' })
        sent.push(message)
      }
    })()
    await allBack(1)
    for (let wave = 1; wave <= waves; wave++) {
      for (const { socket } of returned) socket.io.engine.close()
      await allBack(wave + 1)
    }
    state.isOver = true
    await sending
    const last = 'when all are back'
    await platform.admin('POST', '/messages', { room, sender: there[0]?.id, message: last, messageType: 'text' })
    sent.push(last)

    await eventually('the last message reaches all', () =>
      [...heardByPresent, ...returned.map(({ heard }) => heard)].every((heard) => heard.at(-1) === last),
    )
    for (const heard of heardByPresent) assert.deepEqual(heard, sent)
    // Clients miss messages while disconnected, but get the others once and in order.
    for (const { heard, state: of } of returned) {
      assert.deepEqual(of.failures, [])
      const places = heard.map((message) => sent.indexOf(message))
      assert.deepEqual(
        places,
        [...new Set(places)].toSorted((a, b) => a - b),
      )
    }
  })
})
