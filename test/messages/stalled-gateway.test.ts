import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, test } from 'vitest'
import { eventually, startPlatformWithNode } from '../platform.ts'

const dyingSender = join(import.meta.dirname, '../../services/api-gateway/src/test-dying-sender.ts')

test('a message deleted while its gateway stalls before publishing it comes back to no client', async () => {
  const { platform, node } = await startPlatformWithNode()
  const [alice, bob] = [await platform.newUser('alice'), await platform.newUser('bob')]
  const room = await platform.newRoom([alice.id, bob.id])
  const { mongoUrl, natsUrl } = platform.servers
  const first = await platform.connect(node, bob)
  const published = new Map<number, string>()
  first.on('chat message', ({ seq, _id }: { seq: number; _id: string }) => published.set(seq, _id))

  const work = { mongoUrl, natsUrl, app: platform.app, room, point: 'written', times: 1, signal: 'SIGSTOP' }
  const stalling = fork(dyingSender, [JSON.stringify(work)])
  onTestFinished(async () => {
    first.close()
    stalling.kill('SIGKILL')
    await platform.stop()
  })
  const isStalled = async () => (await readFile(`/proc/${stalling.pid}/stat`, 'utf8')).includes(' T ')
  await eventually('the sender stalls', isStalled, 30)
  await eventually('another process publishes its message', () => published.has(1), 30)
  const deleted = published.get(1)
  await platform.admin('DELETE', `/rooms/${room}/messages/${deleted}`)

  const later = await platform.connect(node, bob)
  onTestFinished(() => void later.close())
  const heard: { _id: string; seq: number; isDeleted: boolean }[] = []
  later.on('chat message', (message) => heard.push(message))
  stalling.kill('SIGCONT')
  await eventually('the sender has published it and sends on', () => heard.some(({ seq }) => seq > 4), 30)
  assert.deepEqual(
    heard.filter(({ _id, isDeleted }) => _id === deleted && !isDeleted),
    [],
  )
})
