import assert from 'node:assert/strict'
import { closeTogether, openTcpProxy } from '@parley/stack/tcp-proxy'
import { onTestFinished, test } from 'vitest'
import { call, eventually, type PlatformUser, startPlatform } from '../platform.ts'
import { readiness } from '../readiness.ts'

test('a removal through a gateway that is cut off from NATS takes effect before its response', async () => {
  const platform = await startPlatform()
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
  onTestFinished(async () => {
    await platform.stop()
    await proxy.close()
  })
  await platform.start('api-gateway')
  const natsUrl = platform.servers.natsUrl.replace(`${hostname}:${port}`, `127.0.0.1:${proxy.port}`)
  const [cutOff, node] = [
    await platform.start('api-gateway', { PARLEY_NATS_URL: natsUrl }),
    await platform.start('realtime'),
  ]

  const open = async (user: PlatformUser) => {
    const socket = await platform.connect(node, user)
    const heard: string[] = []
    socket.on('chat message', ({ message }: { message: string }) => heard.push(message))
    onTestFinished(() => void socket.close())
    return { socket, heard }
  }
  const [alice, leaves, ends] = [await platform.newUser(), await platform.newUser(), await platform.newUser()]
  const room = await platform.newRoom([alice.id, leaves.id, ends.id])
  const [ofAlice, ofLeaves, ofEnds] = [await open(alice), await open(leaves), await open(ends)]
  const send = async (message: string) => {
    await platform.admin('POST', '/messages', { room, sender: alice.id, message, messageType: 'text' })
    await eventually(`Alice hears it: ${message}`, () => ofAlice.heard.includes(message))
  }

  isCut = true
  for (const socket of proxy.sockets) socket.destroy()
  await eventually('it is cut off', async () => 'nats' in (await readiness(cutOff)).failing)
  const headers = { 'im-api-key': platform.apiKey }
  const removed = call(cutOff.url, 'POST', `/rooms/${room}/delete/members`, headers, { members: [leaves.id] })
  const revoked = call(cutOff.url, 'DELETE', `/admin/clients/${ends.id}/token`, headers, {})
  assert.deepEqual([(await removed).status, (await revoked).status], [200, 200])
  await send('later')
  assert.deepEqual([ofLeaves.heard, ofEnds.heard], [[], []])
  assert.ok(ofLeaves.socket.connected)
})
