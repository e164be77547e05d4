import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest'
import { clientOf, type Deployment, deploy, online, texts } from '../client/client-of.ts'
import { eventually, type PlatformUser } from '../platform.ts'
import { runExample } from './run-example.ts'

const root = join(import.meta.dirname, '../..')

describe('the examples without a page', () => {
  let deployment: Deployment
  let alice: PlatformUser
  let bob: PlatformUser
  beforeAll(async () => {
    deployment = await deploy()
    alice = await deployment.platform.newUser('alice', { nickname: 'Alice' })
    bob = await deployment.platform.newUser('bob', { nickname: 'Bob' })
  })
  afterAll(() => deployment.stop())

  const newRoom = (fields: object = {}) => deployment.platform.newRoom([alice.id, bob.id], fields)
  const say = (room: string, message: string, sender = alice) =>
    deployment.platform.admin('POST', '/messages', { room, sender: sender.id, message, messageType: 'text' })
  const startPush = (env: NodeJS.ProcessEnv = {}) =>
    deployment.platform.start('push', { PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'true', ...env })

  test('support-bot: streams its answer to a question, then sends it once', async () => {
    const push = await startPush()
    onTestFinished(() => push.stop())
    const room = await newRoom()
    const bot = runExample(deployment, 'support-bot', { ROOM: room })
    await bot.prints(/listens in .*/)
    const client = clientOf(deployment, alice)
    await online(client)
    await client.room(room).open()
    const streamed: string[] = []
    client.room(room).streaming.subscribe((live) => streamed.push(...live.map(({ text }) => text)))
    await client.room(room).send('When does it arrive?')
    const answer = 'We ship on the same day. It arrives within two days.'
    await eventually('the answer', () => texts(client, room).includes(answer))
    assert.ok(streamed.includes('We ship '), `streamed: ${streamed.join(' | ')}`)
    await client.room(room).send('hello')
    await eventually('the next answer', () => texts(client, room).length === 4)
    assert.equal(texts(client, room).filter((text) => text === answer).length, 1, 'it does not answer itself')
    const { webhook } = await deployment.platform.admin('PUT', `/rooms/${room}`, { name: 'Questions' })
    const unsigned = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    assert.equal((await fetch(String(webhook), unsigned)).status, 401, 'unsigned calls are refused')
  })

  test('push-backend: a message is pushed to devices that are not connected', async () => {
    const backend = runExample(deployment, 'push-backend')
    const url = /=(http.*)/.exec(await backend.prints(/PUSH_GENERIC=http\S+/))?.[1] ?? ''
    const push = await startPush({ PUSH_GENERIC: url })
    onTestFinished(() => push.stop())
    await fetch(new URL('/devices/bob/phone%20of%20bob', url), { method: 'PUT' })
    const room = await newRoom({ name: 'Friends' })
    await say(room, 'Dinner?')
    await backend.prints(/push to phone of bob: Alice in Friends: Dinner\?/)
  })

  test('sqlite-mirror: mirrors all messages, and resumes where it was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mirror-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'mirror.sqlite')
    const room = await newRoom({ name: 'Mirrored' })
    const first = String((await say(room, 'one'))['_id'])
    await say(room, 'two')
    const mirror = runExample(deployment, 'sqlite-mirror', { MIRROR: file })
    const messages = () => {
      const db = new DatabaseSync(file, { readOnly: true })
      const rows = db.prepare('SELECT content, is_deleted FROM messages WHERE room = ? ORDER BY seq').all(room)
      const members = db.prepare('SELECT user FROM members WHERE room = ? ORDER BY user').all(room)
      db.close()
      return { rows: rows.map(({ content, is_deleted }) => [content, is_deleted].join(' ')), members }
    }
    await mirror.prints(new RegExp(`(chat message ${room}[^]*){2}`))
    assert.deepEqual(messages().rows, ['"one" 0', '"two" 0'])
    assert.deepEqual(
      messages().members.map(({ user }) => user),
      ['alice', 'bob'],
    )
    const inThread = (message: string) =>
      deployment.platform.admin('POST', '/messages', {
        ...{ room, sender: bob.id, message, messageType: 'text', replyTo: first, thread: true },
      })
    const changed = String((await inThread('in the thread'))['_id'])
    await mirror.prints(new RegExp(`thread message ${room}`))
    const threads = () => {
      const db = new DatabaseSync(file, { readOnly: true })
      const rows = db.prepare('SELECT thread, seq, content, is_deleted FROM thread_messages ORDER BY seq').all()
      db.close()
      return rows.map((row) => Object.values(row).join(' '))
    }
    assert.deepEqual(threads(), [`${first} 1 "in the thread" 0`])
    await mirror.end('SIGKILL')
    await inThread('again')
    await deployment.platform.admin('DELETE', `/rooms/${room}/messages/${changed}`)
    await say(room, 'three')
    await deployment.platform.admin('DELETE', `/rooms/${room}/messages/${first}`)
    const again = runExample(deployment, 'sqlite-mirror', { MIRROR: file })
    await again.prints(new RegExp(`(messageDeleted ${room}[^]*){2}`))
    assert.deepEqual(messages().rows, [' 1', '"two" 0', '"three" 0'])
    assert.deepEqual(threads(), [`${first} 1  1`, `${first} 2 "again" 0`])
    assert.doesNotMatch(again.text(), /"?two/)
    assert.equal(again.text().match(new RegExp(`chat message ${room}`, 'g'))?.length, 1, 'nothing is read again')
    await deployment.platform.admin('DELETE', `/rooms/${room}/messages/_all`)
    await again.prints(new RegExp(`(messageDeleted ${room}[^]*){3}`))
    assert.deepEqual(messages().rows, [' 1', ' 1', ' 1'])
    assert.deepEqual(threads(), [`${first} 1  1`, `${first} 2  1`])
    await again.end()
    assert.doesNotMatch(again.text(), /Error/)
  })

  const clients = [
    ['socket-io-client', false],
    ['python-client', isPythonMissing()],
  ] as const
  for (const [name, isMissing] of clients) {
    test.skipIf(isMissing)(`${name}: sends typed lines and prints messages of others`, async () => {
      const [user, room] = [randomUUID(), await newRoom()]
      const { token } = await deployment.platform.newUser(user, { nickname: 'Terminal' })
      await deployment.platform.admin('POST', `/rooms/${room}/members`, { invitees: [user] })
      const client = runExample(deployment, name, { ROOM: room, CHAT_USER: user, CHAT_TOKEN: token })
      await client.prints(/You are .*/)
      await say(room, 'Hello from Alice')
      await client.prints(/^Alice: Hello from Alice$/m)
      client.write('Hello from the terminal')
      await client.prints(/^Terminal: Hello from the terminal$/m)
      const { data } = await bob.call('GET', `/rooms/${room}/messages/v3?limit=1`)
      assert.equal((data as { message: string }[])[0]?.message, 'Hello from the terminal')
      client.child.stdin?.end()
      await eventually('it ends with its input', () => client.child.exitCode !== null)
      assert.equal(client.child.exitCode, 0)
    })
  }
})

/** Installs the packages as the example does. If that fails, skips its test and logs it. */
function isPythonMissing(): boolean {
  const options = { cwd: join(root, 'examples/python-client'), timeout: 120_000, encoding: 'utf8' } as const
  const { status, stderr } = spawnSync('sh', ['run', '--install'], options)
  const isMissing = status !== 0
  if (isMissing) console.log(`Skipping the Python client: its packages cannot be installed\n${stderr}`)
  return isMissing
}
