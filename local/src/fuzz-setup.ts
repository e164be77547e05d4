import { connectDb, type Db, usingDb } from '@parley/db/connect'
import { endJob, insertJob } from '@parley/db/jobs'
import { markCallTried, queueCalls } from '@parley/db/push/outgoing-calls'
import type { DemoKeys } from './make-app.ts'

interface FuzzedRoom {
  id: string
  members: string[]
  messages: string[]
}

/** The objects that exist when the fuzzer starts, as targets for its calls. local/fuzz/hooks.py reads them. */
export interface Setup extends DemoKeys {
  url: string
  seed: number
  /** The fuzzer: a platform admin, owner of every room. */
  user: string
  token: string
  rooms: FuzzedRoom[]
  /** Rooms that the fuzzer is invited to. */
  invitations: FuzzedRoom[]
  groups: string[]
  failedCalls: string[]
  files: string[]
  /** For each thread, its root message and one of its messages. */
  threads: [string, string][]
  jobs: string[]
}

const fuzzer = 'fuzzer'
/** Many, because calls delete, freeze and leave rooms. */
const roomCount = 30

/** Creates the objects through the gateway at `url`, and failed calls and jobs in the database. */
export async function setUp(url: string, keys: DemoKeys, seed: number, mongoUrl: string): Promise<Setup> {
  const { apiKey, clientKey } = keys
  const post = async (path: string, body: unknown, headers: object = { 'im-api-key': apiKey }) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`POST ${path}: ${await answer.text()}`)
    return ((await answer.json()) as { result: Record<string, string> }).result
  }
  const newRoom = async (id: string, members: string[]): Promise<FuzzedRoom> => {
    await post('/rooms/', { _id: id, roomType: 'group', name: id, members, owner: members[0] })
    const messages = []
    for (const sender of members) {
      messages.push((await post('/messages', { room: id, sender, message: 'Hello', messageType: 'text' }))['_id'] ?? '')
    }
    return { id, members, messages }
  }

  const { token = '' } = await post('/admin/clients', { _id: fuzzer, isAdmin: true, issueAccessToken: true })
  const asFuzzer = { 'im-client-key': clientKey, 'im-authorization': token }
  const users = Array.from({ length: roomCount }, (_, i) => `user ${i}`)
  for (const _id of [...users, 'alice', 'bob', 'robot', 'somebody']) {
    await post('/admin/clients', { _id, isRobot: _id === 'robot', issueAccessToken: true })
  }
  const rooms: FuzzedRoom[] = []
  const invitations: FuzzedRoom[] = []
  for (const [i, user] of users.entries()) {
    const room = await newRoom(i === 0 ? 'demo-room' : `room ${i}`, [fuzzer, 'alice', 'robot', user])
    rooms.push(room)
    const [inPath, blockee] = [encodeURIComponent(room.id), encodeURIComponent(user)]
    for (const member of room.members) {
      await post(`/admin/clients/${encodeURIComponent(member)}/mute/${inPath}`, {})
    }
    if (i % 2 === 1) await post(`/blockStatus/room/${inPath}/${blockee}`, {}, asFuzzer)
    invitations.push(await newRoom(`party of ${user}`, [user, 'bob']))
    await post(`/rooms/${encodeURIComponent(`party of ${user}`)}/members`, {
      invitees: [fuzzer],
      invitationRequired: true,
    })
  }
  const groups = users.map((user) => `group of ${user}`)
  for (const _id of groups) await post('/admin/groups', { _id, nickname: _id, members: users.slice(0, 2) })
  await post('/config', { directory: 'all' })
  const files: string[] = []
  for (let i = 0; i < 10; i++)
    files.push(await uploadFile(await post('/files', { name: `${i}.txt`, size: 1 }, asFuzzer)))
  const threads: [string, string][] = []
  for (const { id, messages } of rooms) {
    const [root = ''] = messages
    const reply = { room: id, sender: fuzzer, message: 'Yes', messageType: 'text', replyTo: root, thread: true }
    threads.push([root, (await post('/messages', reply))['_id'] ?? ''])
  }
  const inDatabase = await usingDb(connectDb(mongoUrl, { appName: 'parley-fuzz' }), async (db) => ({
    failedCalls: await failCalls(db, keys.app),
    jobs: await endJobs(db, keys.app),
  }))
  return { ...keys, url, seed, user: fuzzer, token, rooms, invitations, groups, files, threads, ...inDatabase }
}

/** Uploads the content of a new file; returns its ID. */
async function uploadFile({ fileID = '', upload }: Record<string, unknown>): Promise<string> {
  const { url, headers } = upload as { url: string; headers: Record<string, string> }
  const { ok, status } = await fetch(url, { method: 'PUT', headers, body: 'x' })
  if (!ok) throw new Error(`PUT ${url}: ${status}`)
  return String(fileID)
}

/** Creates finished jobs; returns their IDs. */
async function endJobs(db: Db, app: string): Promise<string[]> {
  const ids = ['batch 1', 'batch 2']
  for (const id of ids) await endJob(db, await insertJob(db, { app, id, kind: 'batch', total: 0, done: 0 }, 'fuzz'))
  return ids
}

/** Creates failed calls to integrators for the operations that list and retry them; returns their IDs. */
async function failCalls(db: Db, app: string): Promise<string[]> {
  const ids = Array.from({ length: roomCount }, (_, i) => `hook_${i}`)
  const call = { app, kind: 'webhook', room: 'demo-room', event: 'MESSAGE', client: 'alice', data: '{}' } as const
  await queueCalls(
    db,
    ids.map((_id, order) => ({ ...call, _id, queue: `queue ${order}`, order, target: 'nowhere' })),
  )
  for (const id of ids) await markCallTried(db, id, { lastError: 'ECONNREFUSED', deadWith: '{}' })
  return ids
}
