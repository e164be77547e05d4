import assert from 'node:assert/strict'
import type { Db } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import { insertFlushed } from '@parley/db/room-buffer/flush'
import type { DemoKeys } from '@parley/local/make-app'
import type { Document } from 'mongodb'
import { Pool } from 'undici'

type Headers = Record<string, string>

/** Calls a server; returns `result`. @throws when RC is not 0 */
export type Call = (method: 'GET' | 'POST', path: string, headers?: Headers, body?: object) => Promise<Document>

export function openCalls(port: number): { call: Call; close: () => Promise<void> } {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1 })
  return {
    async call(method, path, headers = {}, body) {
      const { body: answer } = await pool.request({
        method,
        path,
        headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      const parsed = (await answer.json()) as { RC: number; result: Document }
      if (parsed.RC !== 0) throw new Error(`${path}: ${JSON.stringify(parsed)}`)
      return parsed.result
    },
    close: () => pool.close(),
  }
}

/** The measured reads, by name. */
export const reads = {
  'latest page': (size: number) => `/rooms/big%20${size}/messages/v3`,
  'oldest page': (size: number) => `/rooms/big%20${size}/messages/v3?afterTime=0`,
  totalCount: (size: number) => `/rooms/big%20${size}/messages/v3?limit=1`,
  room: (size: number) => `/rooms/big%20${size}`,
  rooms: () => '/rooms',
  badge: () => '/me/badge',
}

const smallRooms = 19
export const bigRoom = (size: number) => `big ${size}`

/** Creates a reader in a room of that many unread messages and in small rooms; returns their headers. */
export async function prepareReader(call: Call, db: Db, keys: DemoKeys, size: number): Promise<Headers> {
  const admin = { 'im-api-key': keys.apiKey }
  const reader = `reader ${size}`
  const { token } = await call('POST', '/admin/clients', admin, { _id: reader, issueAccessToken: true })
  const members = [reader, 'sender']
  for (let i = 0; i < smallRooms; i++) {
    const room = `small ${size} ${i}`
    await call('POST', '/rooms/', admin, { _id: room, roomType: 'group', members })
    await call('POST', '/messages', admin, { room, sender: 'sender', message: 'x', messageType: 'text' })
  }
  await call('POST', '/rooms/', admin, { _id: bigRoom(size), roomType: 'group', members })
  const since = performance.now()
  await fill(db, keys.app, bigRoom(size), size)
  console.log(`· ${size} messages written in ${((performance.now() - since) / 1000).toFixed(1)} s`)
  const headers = { 'im-client-key': keys.clientKey, 'im-authorization': String(token), 'im-client-id': reader }
  await check(call, size, headers)
  return headers
}

/** Writes messages directly, keeping the invariants of room and sender as sends do. */
async function fill(db: Db, app: string, room: string, size: number): Promise<void> {
  const roomKey = `${app}\0${room}`
  const startMS = Date.now() - size
  const content = JSON.stringify('x'.repeat(100))
  let lastMessageID = ''
  for (let from = 1; from <= size; from += 5_000) {
    const documents = Array.from({ length: Math.min(5_000, size - from + 1) }, (_, i) => {
      lastMessageID = newId()
      const [seq, atMS] = [from + i, startMS + from + i]
      const writtenAt = { createdAtMS: atMS, updatedAtMS: atMS }
      const of = { app, room, roomKey, seq, sender: 'sender' }
      return { _id: lastMessageID, ...of, content, messageType: 'text', ...writtenAt }
    })
    await insertFlushed(db, documents)
  }
  const at = { clockMS: startMS + size, lastMessageAtMS: startMS + size }
  await db.rooms.updateOne({ _id: roomKey }, { $set: { seq: size, lastMessageID, ...at }, $inc: { version: 1 } })
  await db.memberships.updateOne({ _id: `${roomKey}\0sender` }, { $set: { uncounted: size } })
}

/** Checks that the service sees the written data. */
async function check(call: Call, size: number, headers: Headers): Promise<void> {
  const page = await call('GET', reads['latest page'](size), headers)
  assert.equal(page['totalCount'], size)
  assert.equal(page['data'][0].seq, size)
  assert.equal((await call('GET', reads['oldest page'](size), headers))['data'][0].seq, 1)
  assert.equal((await call('GET', reads.room(size), headers))['unread'], size)
  assert.equal((await call('GET', reads.badge(), headers))['badge'], size + smallRooms)
  assert.equal((await call('GET', reads.rooms(), headers))['totalCount'], smallRooms + 1)
}
