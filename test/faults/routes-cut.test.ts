import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connectBus } from '@parley/bus/connect'
import { ensureStream } from '@parley/bus/stream/stream'
import { streamName } from '@parley/contracts/bus/streams'
import { type NatsPair, newServersDir, startNatsPair } from '@parley/stack/clusters'
import { makeTestDataDir } from '@parley/stack/test-data'
import { isolatedServers } from '@parley/stack/test-servers'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

describe('a realtime node and a gateway on NATS servers that are cut off from each other', () => {
  const dir = newServersDir(makeTestDataDir())
  let pair: NatsPair
  let platform: Platform
  let node: RunningService

  beforeAll(async () => {
    const [servers, nats] = await Promise.all([isolatedServers(), startNatsPair(dir)])
    pair = nats
    const withStream = await eventually('a stream on one of the servers', () => urlOfStream(pair))
    const without = pair.urls.find((url) => url !== withStream)
    platform = await startPlatform({ own: { ...servers, natsUrl: withStream } })
    await platform.start('api-gateway')
    node = await platform.start('realtime', { PARLEY_NATS_URL: without })
  })
  afterAll(async () => {
    await platform?.stop()
    await pair?.closeRoutes()
    await dir.stop()
  })

  const send = async (room: string) => {
    const sent = await platform.admin('POST', '/messages', { room, sender: 'owner', message: 'x', messageType: 'text' })
    return String(sent['_id'])
  }
  async function connect(user: PlatformUser) {
    const socket: Socket = await platform.connect(node, user)
    const client = { socket, got: [] as string[], ended: undefined as string | undefined }
    socket.on('chat message', ({ _id }: { _id: string }) => client.got.push(_id))
    socket.on('disconnect', (reason) => {
      client.ended = reason
    })
    return client
  }
  const logged = async (line: string) => (await readFile(node.logFile, 'utf8')).split(line).length - 1

  test('catch up after the cut: messages, removed members, revoked tokens', async () => {
    const [owner, leaves, ends] = [
      await connect(await platform.newUser('owner')),
      await connect(await platform.newUser('leaves')),
      await connect(await platform.newUser('ends')),
    ]
    const room = await platform.newRoom(['owner', 'leaves', 'ends'])
    const first = await send(room)
    await eventually('the first message', () => [owner, leaves, ends].every(({ got }) => got.includes(first)))
    assert.equal(await logged('bus messages may be missing'), 0)

    pair.cut()
    const missed = await send(room)
    await platform.admin('POST', `/rooms/${room}/delete/members`, { members: ['leaves'] })
    await platform.admin('DELETE', '/admin/clients/ends/token', {})
    const afterLeave = await send(room)
    assert.deepEqual([owner.got, ends.ended], [[first], undefined])
    pair.mend()

    await eventually('the remaining member gets everything', () =>
      [missed, afterLeave].every((id) => owner.got.includes(id)),
    )
    await eventually(
      'the socket with the revoked token is closed for good',
      () => ends.ended === 'io server disconnect',
    )
    const last = await send(room)
    await eventually('the last message', () => owner.got.includes(last))
    assert.ok(
      [afterLeave, last].every((id) => !leaves.got.includes(id)),
      'the removed member gets nothing more',
    )
    assert.deepEqual([owner.ended, leaves.ended], [undefined, undefined])
    assert.equal(await logged('NATS is away'), 0)
    assert.equal(await logged('bus messages may be missing'), 1, 'one replay covers all gaps')
    for (const { socket } of [owner, leaves, ends]) socket.close()
  })
})

/** The server that has the stream. */
async function urlOfStream({ urls }: NatsPair): Promise<string | undefined> {
  const bus = await connectBus(String(urls[0]), 'routes cut')
  try {
    await ensureStream(bus)
    const { cluster } = await (await jetstreamManager(bus.nats)).streams.info(streamName(0))
    return urls.find((url) => url.endsWith(`:${cluster?.leader}`))
  } catch (error) {
    // The servers are still electing a leader.
    if (error instanceof Error) return undefined
    throw error
  } finally {
    await bus.close()
  }
}
