import assert from 'node:assert/strict'
import { onTestFinished, test } from 'vitest'
import { eventually, startPlatformWithNode } from '../platform.ts'

test('a user who joins a room while their node stalls gets the messages since', async () => {
  const { platform, node } = await startPlatformWithNode()
  const [owner, user] = [await platform.newUser(), await platform.newUser()]
  const room = await platform.newRoom([owner.id])
  const socket = await platform.connect(node, user)
  onTestFinished(async () => {
    process.kill(node.pid, 'SIGCONT')
    socket.close()
    await platform.stop()
  })
  const heard: unknown[] = []
  socket.on('chat message', ({ message }) => heard.push(message))
  const send = (message: string) =>
    platform.admin('POST', '/messages', { room, sender: owner.id, message, messageType: 'text' })

  process.kill(node.pid, 'SIGSTOP')
  await platform.admin('POST', `/rooms/${room}/members`, { invitees: [user.id] })
  await send('during the stall')
  process.kill(node.pid, 'SIGCONT')
  await eventually('the message', () => heard.includes('during the stall'))
  assert.ok(socket.connected)
})
