import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linesOfApp } from '@parley/chat/export/app-lines'
import { checkFile } from '@parley/chat/import/check-file'
import type { GivenLine } from '@parley/contracts/import-line'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { makeOlder, sweepAll } from '../test-aged.ts'
import { startTestGateway, type TestGateway } from '../test-gateway.ts'

let gateway: TestGateway
let folder: string
beforeAll(async () => {
  gateway = await startTestGateway()
  folder = await mkdtemp(join(tmpdir(), 'parley-export-in-use-'))
})
afterAll(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true })
})

const admin = async (...call: Parameters<TestGateway['admin']>) => {
  const { status, body } = await gateway.admin(...call)
  assert.ok(status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(body)}`)
  return body.result
}
const send = async (room: string, sender: string, message: string, more: object = {}): Promise<string> =>
  (await admin('POST', '/messages', { room, sender, message, messageType: 'text', ...more }))._id

/** Exports the app, and checks the file for an import. @param meanwhile called once, after the first line of this type */
async function exported(type?: GivenLine['type'], meanwhile?: () => Promise<void>) {
  const { db } = gateway.chat
  const lines: GivenLine[] = []
  let hasChanged = false
  for await (const line of linesOfApp(db, gateway.app, { files: 0, messages: 0 })) {
    lines.push(JSON.parse(line))
    if (hasChanged || lines.at(-1)?.type !== type) continue
    hasChanged = true
    await meanwhile?.()
  }
  const file = join(folder, `${performance.now()}.ndjson`)
  await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'))
  const problems: unknown[] = []
  const onProblem = (problem: unknown) => void problems.push(problem)
  await checkFile(db, gateway.app, file, { onProgress: () => undefined, onProblem })
  return { lines, problems }
}

describe('parley export of an app in use', () => {
  test('has no room whose members left meanwhile, and has users created meanwhile', async () => {
    const [dave, eve] = [await gateway.newUser('dave'), await gateway.newUser('eve')]
    const [deleted, left, direct] = [
      await gateway.newRoom([dave, eve]),
      await gateway.newRoom([dave, eve], { owner: 'eve' }),
      await gateway.newRoom([dave, eve], { roomType: 'direct' }),
    ]
    for (const room of [deleted, left, direct]) await send(room, 'dave', 'hi')
    const { lines, problems } = await exported('room', async () => {
      await admin('DELETE', `/rooms/${deleted}`)
      await admin('DELETE', '/admin/clients/eve')
      const late = await gateway.newUser('a late user')
      await admin('POST', `/rooms/${left}/members`, { invitees: [late.id] })
      const room = await gateway.newRoom([late, dave])
      await send(room, late.id, 'hi')
      await admin('POST', `/blockStatus/room/${room}/dave`)
      await late.call('POST', '/me/subscribe', { type: 'fcm', token: 't', deviceId: 'phone' })
      await late.call('POST', '/me/pref/theme', { data: 'dark' })
      await late.call('POST', '/blockStatus/my/dave')
    })
    assert.deepEqual(problems, [])
    const late = lines.filter((line) => line.type === 'user' && line._id === 'a late user')
    assert.partialDeepStrictEqual(late, [{ type: 'user', nickname: '' }])
    assert.equal(late.length, 1)
    assert.equal('erased' in (late[0] ?? {}), false)
  })

  test('has replies to messages that retention has removed, without the quote', async () => {
    const [frank, grace] = [await gateway.newUser('frank'), await gateway.newUser('grace')]
    const room = await gateway.newRoom([frank, grace], { retentionDays: 30 })
    const old = await send(room, 'frank', 'old')
    const reply = await send(room, 'grace', 'reply', { replyTo: old })
    const inThread = await send(room, 'frank', 'old, too', { replyTo: reply, thread: true })
    await send(room, 'grace', 'reply in the thread', { replyTo: inThread, thread: true })
    await send(room, 'frank', 'reply to a reply', { replyTo: reply })
    await makeOlder(gateway, room, { upToSeq: 1, days: 40, others: [inThread] })
    await sweepAll(gateway)
    const { lines, problems } = await exported()
    assert.deepEqual(problems, [])
    assert.deepEqual(
      lines.flatMap((line) => (line.type === 'message' && line.room === room ? [[line.message, line.replyTo]] : [])),
      [
        ['reply', undefined],
        ['reply in the thread', undefined],
        ['reply to a reply', reply],
      ],
    )
  })

  test('has no subscriptions of browsers, which are bound to the key of the app', async () => {
    const heidi = await gateway.newUser('heidi')
    const p256dh = createECDH('prime256v1').generateKeys('base64url')
    const keys = { p256dh, auth: randomBytes(16).toString('base64url') }
    const token = JSON.stringify({ endpoint: 'https://push.example/1', keys })
    for (const device of [
      { type: 'web', token, deviceId: 'browser' },
      { type: 'fcm', token: 'of heidi', deviceId: 'phone' },
    ]) {
      assert.equal((await heidi.call('POST', '/me/subscribe', device)).status, 200)
    }
    const { lines, problems } = await exported()
    assert.deepEqual(problems, [])
    const own = lines.flatMap((line) => (line.type === 'device' && line.user === 'heidi' ? [line.deviceId] : []))
    assert.deepEqual(own, ['phone'])
  })
})
