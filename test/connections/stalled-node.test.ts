import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { onTestFinished, test } from 'vitest'
import { eventually, startPlatformWithNode } from '../platform.ts'

test('a user who joins a room while their node stalls gets the messages since, not those from before', async () => {
  const { platform, node } = await startPlatformWithNode()
  const [owner, comes, returns] = [await platform.newUser(), await platform.newUser(), await platform.newUser()]
  const room = await platform.newRoom([owner.id, returns.id])
  const sockets = await Promise.all([comes, returns].map((user) => platform.connect(node, user)))
  onTestFinished(async () => {
    process.kill(node.pid, 'SIGCONT')
    for (const socket of sockets) socket.close()
    await platform.stop()
  })
  const heard = sockets.map((socket) => {
    const messages: string[] = []
    // Clients dedupe: a resync repeats messages.
    socket.on('chat message', ({ message }: { message: string }) => {
      if (!messages.includes(message)) messages.push(message)
    })
    return messages
  })
  const send = (message: string) =>
    platform.admin('POST', '/messages', { room, sender: owner.id, message, messageType: 'text' })
  const change = (path: string, body: object) => platform.admin('POST', `/rooms/${room}/${path}`, body)

  await send('first')
  await eventually('the first message', () => heard[1]?.includes('first'))
  process.kill(node.pid, 'SIGSTOP')
  await change('delete/members', { members: [returns.id] })
  await send('while both are out')
  const sentMS = Date.now()
  await eventually('the joins are later, beyond any clock skew', () => Date.now() > sentMS + 2_000)
  await change('members', { invitees: [comes.id, returns.id] })
  await send('during the stall')
  process.kill(node.pid, 'SIGCONT')
  const isResynced = async () => (await readFile(node.logFile, 'utf8')).includes('missed events delivered')
  await eventually('the node has delivered missed events', isResynced)
  await send('last')
  await eventually('the last message', () => heard.every((messages) => messages.includes('last')))
  assert.deepEqual(heard, [
    ['during the stall', 'last'],
    ['first', 'during the stall', 'last'],
  ])
  assert.ok(sockets.every(({ connected }) => connected))
})
