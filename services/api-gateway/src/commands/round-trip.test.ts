import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkFile } from '@parley/chat/import/check-file'
import { importFile } from '@parley/chat/import/import-file'
import { importedFileId, importedMessageId } from '@parley/chat/import/known-ids'
import { verifyImport } from '@parley/chat/import/verify-import'
import { key } from '@parley/db/keys'
import { findAllMessages } from '@parley/db/message-buckets/all-messages'
import { parleyFile } from '@parley/stack/parley-command'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { lookAtAll, png, upload } from '../routes/files/test-files.ts'
import { startTestGateway, type TestGateway, type TestUser } from '../test-gateway.ts'

let from: TestGateway
let to: TestGateway
let folder: string
beforeAll(async () => {
  ;[from, to] = [await startTestGateway(), await startTestGateway()]
  folder = await mkdtemp(join(tmpdir(), 'parley-round-trip-'))
})
afterAll(async () => {
  await from.stop()
  await to.stop()
  await rm(folder, { recursive: true })
})

const admin = async (...call: Parameters<TestGateway['admin']>) => {
  const { status, body } = await from.admin(...call)
  assert.ok(status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(body)}`)
  return body.result
}
const by = async (user: TestUser, ...call: Parameters<TestUser['call']>) => {
  const { status, body } = await user.call(...call)
  assert.ok(status < 300, `${call[0]} ${call[1]}: ${JSON.stringify(body)}`)
  return body.result
}
const send = async (room: string, sender: string, message: unknown, more: object = {}): Promise<string> =>
  (await admin('POST', '/messages', { room, sender, message, messageType: 'text', ...more }))._id

interface Made {
  rooms: string[]
  roots: string[]
  files: string[]
}

/** Sends files of every kind and state. @param goneUser will be erased @returns their IDs */
async function sendFiles(room: string, root: string, [alice, bob, goneUser]: [TestUser, TestUser, TestUser]) {
  const attach = (...ids: string[]) => ({ messageType: 'file', attachments: ids.map((fileID) => ({ fileID })) })
  const picture = await upload(alice.call, png, { name: 'a picture “日本” %.png', type: 'image/png' })
  const page = await upload(alice.call, Buffer.from('<p>'), { name: `${'long '.repeat(50)}.html`, type: 'text/html' })
  const ofServer = await upload(from.admin, Buffer.from('%PDF-1.7 plan'), { name: 'p.pdf', type: 'application/pdf' })
  const [inThread, later, lost] = [
    await upload(bob.call, Buffer.alloc(300_000, 'x'), { name: 'sound.wav', type: 'application/x-own' }),
    await upload(bob.call, Buffer.from('later')),
    await upload(goneUser.call, Buffer.from('lost')),
  ]
  const [refused, checking] = [await upload(bob.call, Buffer.from('bad')), await upload(bob.call, Buffer.from('wait'))]
  await lookAtAll(from.chat, from, Date.now())
  const scanned = (scan: 'pending' | 'refused', ...ids: string[]) =>
    from.chat.db.files.updateMany({ _id: { $in: ids.map((id) => key(from.app, id)) } }, { $set: { scan } })
  await scanned('pending', refused, checking)
  const measured = { fileID: picture, width: 20, height: 10 }
  await send(room, 'alice', 'a picture', { messageType: 'image', attachments: [measured, { fileID: ofServer }] })
  await send(room, 'alice', 'the same, again', attach(picture, page))
  await send(room, 'bob', 'in the thread', { ...attach(inThread, ofServer), replyTo: root, thread: true })
  await send(room, goneUser.id, 'of an erased user', attach(lost))
  await send(room, 'bob', 'refused and checked', attach(refused, checking))
  await scanned('refused', refused)
  const scheduled = { room, sender: 'bob', message: 'with a file', sendAtMS: Date.now() + 7_200_000 }
  await admin('POST', '/scheduled', { ...scheduled, ...attach(later) })
  return [picture, page, ofServer, inThread, later, lost, refused, checking]
}

/** Reports messages, and places holds, one of which stops an erasure. */
async function reportAndHold(
  room: string,
  [alice, bob]: [TestUser, TestUser],
  messages: { open: string; decided: string; inThread: string },
) {
  for (const message of [messages.open, messages.decided]) {
    await by(alice, 'POST', `/messages/${message}/report`, { reason: 'spam' })
  }
  for (const message of [messages.open, messages.inThread]) {
    await by(bob, 'POST', `/messages/${message}/report`, { reason: 'rude' })
  }
  const { data } = await admin('GET', '/admin/reports')
  const { id } = data.find(({ messageID }: { messageID: string }) => messageID === messages.decided)
  await admin('POST', `/admin/reports/${id}/decide`, { decision: 'dismiss' })
  const { _id } = await admin('POST', '/admin/holds', { room, reason: 'Case 1' })
  await admin('POST', '/admin/holds', { user: 'gone', reason: 'Case 2' })
  const owed = { job: '5'.repeat(24), user: 'gone', room, upToMS: 1_700_000_000_000, content: 'delete' as const }
  await from.chat.db.holds.updateOne({ _id: key(from.app, _id) }, { $set: { owed: [owed] } })
}

async function makeConversations(): Promise<Made> {
  const profile = {
    nickname: 'Alice',
    description: 'Ops',
    email: 'alice@example.com',
    avatarUrl: 'https://e.example/a',
  }
  const alice = await from.newUser('alice', profile)
  const bob = await from.newUser('bob', { nickname: 'Bob', isAdmin: true })
  const gone = await from.newUser('gone')
  await from.newUser('silent')
  await from.newUser('robot', { isRobot: true, commands: [{ name: 'help', description: 'Helps' }] })
  await admin('POST', '/admin/groups', { _id: 'team', nickname: 'Team', members: ['alice', 'bob'] })
  await admin('POST', '/config', { announcement: { n: 1.5 }, nothing: null, censorship: { keywords: ['darn'] } })
  const fields = {
    name: 'Team',
    description: 'All of us',
    roomTags: ['a'],
    extParams: { x: [1] },
    slowModeS: 0,
    systemMessage: true,
  }
  const room = await from.newRoom([alice, bob, gone], { ...fields, owner: 'alice' })
  const direct = await from.newRoom([alice, bob], { roomType: 'direct' })
  const [closed, empty] = [
    await from.newRoom([alice, gone], { roomType: 'direct', name: 'With an erased user' }),
    await from.newRoom([bob], { name: 'Without members' }),
  ]
  await send(closed, 'alice', 'hello')
  await send(closed, 'gone', 'bye')
  await send(empty, 'bob', 'nobody reads this')
  await by(bob, 'POST', `/rooms/${empty}/delete/members`, { members: ['bob'] })
  const [frozen, other] = [await from.newRoom([alice], { retentionDays: 400 }), await from.newRoom([alice])]
  await admin('PUT', `/rooms/${room}/member/bob`, { property: 'role', value: 'admin' })
  const root = await send(room, 'bob', 'root')
  await send(room, 'bob', null)
  const replied = await send(room, 'alice', { text: 'any', list: [1, { deep: null }] }, { replyTo: root })
  await send(room, 'alice', 'one', { replyTo: root, thread: true })
  const inThread = await send(room, 'alice', 'two', { replyTo: root, thread: true })
  await by(bob, 'PUT', `/messages/${root}/thread/lastRead`, { message: inThread })
  await by(bob, 'PUT', `/me/notifications/threads/${root}`, { level: 'none' })
  await send(room, 'alice', 'unread by Bob', { replyTo: root, thread: true })
  const files = await sendFiles(room, root, [alice, bob, gone])
  const [edited, recalled, deleted, reacted, pinned] = [
    await send(room, 'bob', 'edit me'),
    await send(room, 'bob', 'recall me'),
    await send(room, 'bob', 'delete me'),
    await send(room, 'gone', 'of an erased user', { mentions: ['alice'] }),
    await send(room, 'bob', 'pin me', { clientMessageID: 'mine', expiresInS: 86_400 }),
  ]
  await bob.call('POST', `/rooms/${room}/message`, { _id: edited, message: 'edited' })
  await bob.call('POST', `/rooms/${room}/message`, { _id: recalled, messageType: 'recall' })
  await admin('DELETE', `/rooms/${room}/messages/${deleted}`)
  for (const user of [alice, gone]) await user.call('POST', `/messages/${reacted}/reaction`, { reaction: '👍' })
  await bob.call('POST', `/messages/${pinned}/pin`)
  await alice.call('PUT', `/rooms/${room}/lastRead`, { message: replied })
  await by(bob, 'PUT', `/rooms/${direct}/delivered`, { message: await send(direct, 'alice', 'delivered') })
  const hidden = await send(room, 'bob', 'unread, and deleted by Alice')
  const hiddenInThread = await send(room, 'bob', 'three', { replyTo: root, thread: true })
  for (const message of [hidden, hiddenInThread])
    await by(alice, 'POST', '/messages/user-delete', { room, messages: [message] })
  for (let n = 0; n < 70; n++) {
    await send(direct, n % 2 ? 'alice' : 'bob', `message ${n}`)
    if (n === 50) await by(bob, 'POST', '/messages/user-delete/all-in-room', { room: direct })
  }
  await alice.call('POST', `/roomPrefs/${room}`, { sticky: true, tags: ['x'], tagColors: { x: 'red' }, muted: true })
  await alice.call('POST', '/me/subscribe', { type: 'fcm', token: 't', deviceId: 'phone', language: 'de' })
  await alice.call('POST', '/me/pref/theme', { data: { dark: true } })
  await alice.call('POST', '/me/pref/nothing', { data: null })
  await alice.call('PUT', '/me/notifications', notifications)
  await alice.call('PUT', `/me/notifications/rooms/${room}`, {
    level: 'all',
    types: [{ messageType: 'x', level: 'none' }],
  })
  await alice.call('POST', '/blockStatus/my/robot')
  await admin('POST', `/blockStatus/room/${room}/gone`)
  // Nothing else refers to this user.
  await alice.call('POST', '/blockStatus/my/silent')
  await admin('POST', `/blockStatus/room/${room}/silent`)
  await admin('POST', '/admin/clients/robot/ban', { untilMS: 4_000_000_000_000 })
  for (const user of ['gone', 'silent']) await admin('DELETE', `/admin/clients/${user}`)
  for (const message of [root, inThread, pinned]) await by(alice, 'PUT', `/me/bookmarks/${message}`)
  for (const [message, n] of [
    [root, 2],
    [inThread, 1],
  ] as const) {
    await by(alice, 'POST', '/me/reminders', { message, remindAtMS: Date.now() + n * 3_600_000 })
  }
  const later = { messageType: 'text', sendAtMS: Date.now() + 3_600_000 }
  await by(alice, 'POST', '/scheduled', { ...later, room, message: { n: 1 }, replyTo: root, thread: true, push: false })
  const fromServer = { ...later, room: direct, sender: 'bob', mentions: ['alice'], expiresInS: 60 }
  const refused = await admin('POST', '/scheduled', { ...fromServer, message: 'refused' })
  await admin('POST', '/scheduled', { ...fromServer, message: 'later', clientMessageID: 'mine, too' })
  await from.chat.db.scheduled.updateOne(
    { _id: key(from.app, refused.id) },
    { $set: { refused: { code: 'ROOM_CLOSED', message: 'closed', atMS: Date.now() } }, $unset: { nextMS: 1 } },
  )
  const invited = { invitees: ['bob'], invitationRequired: true }
  for (const id of [frozen, other]) await by(alice, 'POST', `/rooms/${id}/members`, invited)
  await reportAndHold(room, [alice, bob], { open: root, decided: pinned, inThread })
  await admin('PUT', `/rooms/${frozen}`, { status: 0 })
  return { rooms: [room, direct, frozen, other, closed, empty], roots: [root], files }
}

const notifications = {
  ...{ level: 'mentions', types: [{ messageType: 'image', level: 'none' }], muteUntilMS: 1_800_000_000_000 },
  doNotDisturb: { timeZone: 'Europe/Berlin', times: [{ days: [1, 7], from: '22:00', to: '07:00' }] },
}

/** Runs `parley export`. */
async function exported(): Promise<string> {
  const { mongoUrl } = await testServers()
  const env = {
    ...{ ...process.env, PARLEY_FILES_FOLDER: from.store.root },
    PARLEY_MONGO_URL: withDatabase(mongoUrl, from.chat.db.mongo.databaseName),
  }
  const args = [parleyFile, 'export', '--app', from.app, '--out', join(folder, `${performance.now()}`), '--files']
  const { stdout } = await promisify(execFile)(process.execPath, args, { env })
  assert.doesNotMatch(stdout, /left out|have none/)
  return /^(.*): \d+ lines/m.exec(stdout)?.[1] ?? stdout
}

/** The IDs that imported messages and files have, and the old ones. */
async function idsOf(gateway: TestGateway, files: readonly string[]): Promise<Map<string, string>> {
  const found = await findAllMessages(from.chat.db, { app: from.app })
  return new Map([
    ...found.map(({ _id, room }) => [gateway === from ? _id : importedMessageId(to.app, room, _id), _id] as const),
    ...files.map((id) => [gateway === from ? id : importedFileId(to.app, id), id] as const),
  ])
}

/** A file with its bytes instead of the URLs. */
async function download({ url, urlExpiresAtMS: _at, thumbnail, ...file }: Record<string, unknown>) {
  const fetched = async (address: unknown) => {
    const response = await fetch(String(address))
    const headers = ['content-type', 'content-disposition', 'content-length'].map((name) => response.headers.get(name))
    return [response.status, headers, Buffer.from(await response.arrayBuffer()).toString('base64')]
  }
  const { url: small, ...about } = (thumbnail ?? {}) as Record<string, unknown>
  return { ...file, url: url && (await fetched(url)), thumbnail: small && [about, await fetched(small)] }
}

/** Every read of two users and the API key, comparable. */
async function readAll(gateway: TestGateway, { rooms, roots, files }: Made) {
  const ids = await idsOf(gateway, files)
  const named = new Map([...ids].map(([id, old]) => [old, id]))
  const users: TestUser[] = [await gateway.newUser('alice'), await gateway.newUser('bob')]
  const ofUser = [
    ...[
      '/rooms?limit=100',
      '/rooms?sort=createdTime',
      '/threads',
      '/me',
      '/me/pref',
      '/me/notifications',
      '/me/badge',
      '/blockStatus/my',
      '/invitations',
      '/me/bookmarks',
      '/me/bookmarks?limit=2',
      '/me/reminders',
      '/scheduled',
      '/invitations?limit=1',
      '/config',
    ],
    ...rooms.flatMap((id) => [
      ...[
        `/rooms/${id}`,
        `/me/notifications/rooms/${id}`,
        `/rooms/${id}/members`,
        `/rooms/${id}/pins`,
        `/blockStatus/room/${id}`,
      ],
      ...['updatedAt', 'createdAt'].map((field) => `/rooms/${id}/messages/v3?limit=500&timeRangeField=${field}`),
    ]),
    ...roots.flatMap((id) => [`/messages/${named.get(id)}/thread`, `/me/notifications/threads/${named.get(id)}`]),
  ]
  const ofAdmin = [
    '/admin/clients?limit=100',
    '/admin/groups',
    '/admin/rooms',
    '/admin/push/devices',
    '/admin/reports?status=open',
    '/admin/reports?status=decided',
    '/admin/holds',
    `/admin/holds?room=${rooms[0]}`,
    '/scheduled',
    ...rooms.flatMap((id) => [`/admin/rooms/${id}`, `/admin/rooms/${id}/members`, `/admin/rooms/${id}/messages`]),
  ]
  const answers: [string, unknown][] = []
  const read = async (by: string, path: string, call: TestGateway['admin']) => {
    const { status, body } = await call('GET', path)
    const known = path.replace(/[0-9a-f]{24}/g, (id) => ids.get(id) ?? id)
    answers.push([`${by} ${known}`, { status, result: comparable(body.result, gateway.app, ids) }])
  }
  for (const user of users) for (const path of ofUser) await read(user.id, path, user.call)
  for (const path of ofAdmin) await read('admin', path, gateway.admin)
  for (const id of files) {
    for (const [name, call] of [
      ...users.map((user) => [user.id, user.call] as const),
      ['admin', gateway.admin],
    ] as const) {
      const { status, body } = await call('GET', `/files/${named.get(id)}`)
      const file = status === 200 ? await download(body.result) : body.error.code
      answers.push([`${name} /files/${id}`, { status, file: comparable(file, gateway.app, ids) }])
    }
  }
  for (const user of users) {
    const found = await user.call('POST', '/search', { type: ['messages'], keyword: 'message' })
    answers.push([`search by ${user.id}`, comparable(found.body.result, gateway.app, ids)])
  }
  return Object.fromEntries(answers)
}

/** Of logins and profile changes, which an import does not have. */
const ofLogins = new Set([
  'lastLoginTimeMS',
  'lastJoinOrCreateRoomTime',
  'updatedAt',
  '__v',
  'userAgent',
  'address',
  'inspect',
  'tookMS',
])

function comparable(value: unknown, app: string, ids: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => comparable(one, app, ids))
  if (typeof value === 'string') {
    // A cursor is JSON in base64url, with the ID of a message.
    if (value.startsWith('WyJ')) return comparable(Buffer.from(value, 'base64url').toString(), app, ids)
    return value === app ? 'app' : value.replaceAll(/[0-9a-f]{24}/g, (id) => ids.get(id) ?? id)
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(
    ([name, one]) => !ofLogins.has(name) && !(name === 'clientMessageID' && ids.has(String(one))),
  )
  const old = new Set(ids.values())
  return Object.fromEntries(
    entries
      .filter(([name, one]) => !(name === 'clientMessageID' && old.has(String(one))))
      .map(([name, one]) => [name, comparable(one, app, ids)]),
  )
}

describe('an app exported and imported into an empty one', () => {
  test('gives the same response to every read', async () => {
    const made = await makeConversations()
    const file = await exported()
    const problems: unknown[] = []
    const watching = { onProgress: () => undefined, onProblem: (problem: unknown) => void problems.push(problem) }
    const { db } = to.chat
    const checked = await checkFile(db, to.app, file, watching)
    assert.deepEqual(problems, [])
    const faults: string[] = []
    const onFault = (text: string) => void faults.push(text)
    await importFile(db, to.app, checked.file, {
      ...watching,
      files: { store: to.store, onFile: () => undefined, onFault },
    })
    assert.deepEqual(faults, [])
    assert.deepEqual(await verifyImport(db, to.app, checked.file, watching), [])
    const [before, after] = [await readAll(from, made), await readAll(to, made)]
    for (const [path, answer] of Object.entries(before)) assert.deepEqual(after[path], answer, path)
    const owedIn = async ({ admin: call, chat, app }: TestGateway) => {
      const { body } = await call('GET', `/admin/holds?room=${made.rooms[0]}`)
      return (await chat.db.holds.findOne({ _id: key(app, body.result.data[0]._id) }))?.owed
    }
    assert.equal((await owedIn(from))?.length, 1)
    assert.deepEqual(await owedIn(to), await owedIn(from))
  })
})
