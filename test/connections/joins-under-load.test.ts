import assert from 'node:assert/strict'
import type { Socket } from 'socket.io-client'
import { onTestFinished, test } from 'vitest'
import { call, eventually, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'

const comers = 6
const rounds = 5
const senders = 4

test('members who come and go under load hear the room from their join on, without gaps and in order', async () => {
  const platform = await startPlatform()
  const sockets: Socket[] = []
  onTestFinished(async () => {
    for (const socket of sockets) socket.close()
    await platform.stop()
  })
  const { start } = platform
  const gateways = [await start('api-gateway'), await start('api-gateway')]
  const nodes = [await start('realtime'), await start('realtime')]
  const of = (services: RunningService[], n: number) => services[n % services.length] as RunningService
  const post = async (n: number, path: string, body: object) => {
    const answer = await call(of(gateways, n).url, 'POST', path, { 'im-api-key': platform.apiKey }, body)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }
  const alice = await platform.newUser('alice')
  const room = await platform.newRoom([alice.id])
  const state = { isOver: false, lastSeq: 0 }

  async function sendOn(n: number): Promise<void> {
    for (let i = n; !state.isOver; i++) {
      const sent = await post(i, '/messages', { room, sender: 'alice', message: 'x', messageType: 'text', push: false })
      state.lastSeq = Math.max(state.lastSeq, Number(sent['seq']))
    }
  }

  /** The seq of the last message before the user joined. */
  async function seqAtJoin(user: PlatformUser): Promise<number> {
    const { data } = await platform.admin('GET', `/rooms/${room}/members?limit=500`)
    return (data as { _id: string; readSeq: number }[]).find(({ _id }) => _id === user.id)?.readSeq ?? Number.NaN
  }

  async function comeAndGo(n: number) {
    const user = await platform.newUser()
    const socket = await platform.connect(of(nodes, n), user)
    sockets.push(socket)
    const heard: number[] = []
    socket.on('chat message', ({ seq }: { seq: number }) => heard.push(seq))
    const joins: number[] = []
    for (let round = 0; ; round++) {
      const before = heard.length
      await post(n + round, `/rooms/${room}/members`, { invitees: [user.id] })
      joins.push(await seqAtJoin(user))
      await eventually('some messages', () => heard.length > before + 3)
      if (round === rounds) return { heard, joins }
      await post(n + round + 1, `/rooms/${room}/delete/members`, { members: [user.id] })
    }
  }

  const sending = Array.from({ length: senders }, (_, n) => sendOn(n))
  const members = await Promise.all(Array.from({ length: comers }, (_, n) => comeAndGo(n)))
  state.isOver = true
  await Promise.all(sending)
  const { lastSeq } = state
  await eventually('all hear the last message', () => members.every(({ heard }) => heard.includes(lastSeq)))
  for (const { heard, joins } of members) {
    const expected = joins.flatMap((join, i) => {
      const end = joins[i + 1] ?? lastSeq
      const latest = Math.max(...heard.filter((seq) => seq <= end))
      return Array.from({ length: latest - join }, (_, k) => join + 1 + k)
    })
    assert.deepEqual(heard, expected)
  }
})
