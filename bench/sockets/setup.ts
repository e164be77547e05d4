import { randomUUID } from 'node:crypto'
import { digest } from '@parley/db/apps/apps'
import { connectDb } from '@parley/db/connect'
import { newTokenDoc } from '@parley/db/users/tokens'
import { newUserDoc } from '@parley/db/users/users'
import { type DemoKeys, makeApp } from '@parley/local/make-app'
import { startServers } from '@parley/stack/up'
import { adminPost } from '../admin-post.ts'
import { startBenchService } from '../bench-service.ts'
import { createLargeRoom } from '../create-large-room.ts'
import type { CrowdClient } from './crowd.ts'

const perRoom = 100

export interface Setup {
  servers: Awaited<ReturnType<typeof startServers>>
  gateway: Awaited<ReturnType<typeof startBenchService>>
  keys: DemoKeys
  clients: CrowdClient[]
  rooms: string[]
  roomOfAll: Awaited<ReturnType<typeof createLargeRoom>>
  /** Sends a message to a room and counts its seq. */
  send: (room: string, text: string) => Promise<void>
  lastSeqs: Record<string, number>
}

const app = 'bench'
const atOnce = 16

/** Creates users with a token each, all in the room `all` and each in one room of a hundred. */
export async function setUp(sockets: number, log: (line: string) => void): Promise<Setup> {
  const servers = await startServers({ onProgress: log })
  const keys = await makeApp(servers.mongoUrl, app)
  const ids = Array.from({ length: sockets }, (_, n) => `user ${n}`)
  const tokens = await writeUsers(servers.mongoUrl, ids)
  const gateway = await startBenchService('api-gateway', servers)
  const post = adminPost(gateway.ports['http'], keys.apiKey)
  const roomOfAll = await createLargeRoom(post, 'all', ids)
  const rooms = Array.from({ length: Math.ceil(sockets / perRoom) }, (_, n) => `room ${n}`)
  const left = rooms.entries()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [n, _id] of left) {
        await post('/rooms/', { _id, roomType: 'group', members: ids.slice(n * perRoom, (n + 1) * perRoom) })
      }
    }),
  )
  const lastSeqs: Record<string, number> = {}
  return {
    ...{ servers, gateway, keys, rooms, roomOfAll, lastSeqs },
    clients: tokens.map((token, n) => ({ token, rooms: ['all', `room ${Math.floor(n / perRoom)}`] })),
    async send(room, text) {
      const sender = room === 'all' ? 'user 0' : `user ${Number(room.slice(5)) * perRoom}`
      await post('/messages', { room, sender, message: text, messageType: 'text', push: false })
      // Nothing else sends, and seq has no gaps.
      lastSeqs[room] = (lastSeqs[room] ?? 0) + 1
    },
  }
}

/** Writes users directly into the database, which is faster than a hundred thousand requests. */
async function writeUsers(mongoUrl: string, ids: readonly string[]): Promise<string[]> {
  const db = await connectDb(mongoUrl, { timeoutMS: 60_000 })
  const expiresAt = new Date(Date.now() + 86_400_000)
  const tokens = ids.map(() => randomUUID())
  for (let from = 0; from < ids.length; from += 5_000) {
    const some = ids.slice(from, from + 5_000)
    await db.users.insertMany(some.map((id) => newUserDoc(app, id, {})))
    await db.tokens.insertMany(
      some.map((user, n) => newTokenDoc({ app, user }, digest(tokens[from + n] ?? ''), expiresAt)),
    )
  }
  await db.client.close()
  return tokens
}
