import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectDb } from '@parley/db/connect'
import { eventually, type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { createWitness, type Witness } from './witness.ts'

/** A gateway and a realtime node with a few users, including the witness, which no attack may affect. */
export interface Scene extends Platform {
  gateway: RunningService
  node: RunningService
  adminHeaders: Record<string, string>
  /** A member of `room`, whose token the attacks use. */
  member: PlatformUser
  /** Owns `room`. */
  owner: PlatformUser
  room: string
  /** The gateway's folder of files. */
  filesFolder: string
  witness: Witness
  /** Sends messages to the witness; resolves when its socket has received them. */
  deliver(): Promise<void>
  /** Resolves when the login and the disconnect of the member's connection since this time are recorded. */
  visitRecorded: (sinceMS: number) => Promise<void>
  /** A digest of each collection, except those given and those that change by themselves. */
  stored(without: readonly string[]): Promise<Record<string, string>>
  /** Resident memory in MiB. */
  memory(service: RunningService): number
  stop(): Promise<void>
}

/** Collections that change by themselves: connection statistics, last uses of keys, stream progress, audit log seals. */
const alwaysChanging = new Set([
  'apps',
  'auditSeals',
  'auditUnsealed',
  'statsPeaks',
  'statsRooms',
  'statsUsers',
  'streamState',
])

export async function startScene(): Promise<Scene> {
  const platform = await startPlatform()
  const filesFolder = mkdtempSync(join(tmpdir(), 'parley-hostile-'))
  const [gateway, node] = await Promise.all([
    platform.start('api-gateway', { PARLEY_FILES_FOLDER: filesFolder }),
    platform.start('realtime', { PARLEY_REALTIME_AUTHENTICATE_WITHIN_MS: '4000' }),
  ])
  const [member, owner, watching] = [
    await platform.newUser('member'),
    await platform.newUser('owner'),
    await platform.newUser('witness'),
  ]
  const room = await platform.newRoom([member.id, owner.id, watching.id], { owner: owner.id })
  await platform.admin('POST', '/messages', { room, sender: owner.id, message: 'hello', messageType: 'text' })
  const socket = await platform.connect(node, watching)
  const heard = new Set<unknown>()
  socket.on('chat message', ({ message }: { message: unknown }) => heard.add(message))
  const witness = await createWitness(socket, room, () =>
    fetch(`${gateway.url}/me/badge`, { headers: watching.headers }),
  )
  const db = await connectDb(platform.servers.mongoUrl, { appName: 'test' })
  // The first search indexes new messages. Later ones change nothing.
  await member.call('POST', '/search', { type: ['messages'], keyword: 'hello' })
  await Promise.all([member, owner, watching].map((user) => user.call('GET', '/me/badge')))
  await eventually('the first use of each token is noted', async () => {
    return (await db.tokens.findOne({ lastUsedAt: { $exists: false } })) === null
  })
  await eventually("the witness's login is recorded", async () => {
    return ((await db.users.findOne({ id: watching.id }))?.lastLoginTimeMS ?? 0) > 0
  })
  await eventually('the message is flushed', async () => !(await db.rooms.findOne({ 'buffer.0': { $exists: true } })))

  return {
    ...platform,
    adminHeaders: { 'im-api-key': platform.apiKey },
    ...{ gateway, node, member, owner, room, filesFolder, witness },
    async deliver() {
      const messages = Array.from({ length: 20 }, () => randomUUID())
      for (const message of messages) {
        await platform.admin('POST', '/messages', { room, sender: owner.id, message, messageType: 'text' })
      }
      await eventually('the witness hears everything', () => messages.every((message) => heard.has(message)))
    },
    async visitRecorded(sinceMS) {
      await eventually('the visit is recorded', async () => {
        const { lastLoginTimeMS = 0, lastSeenMS = 0 } = (await db.users.findOne({ id: member.id })) ?? {}
        return Math.min(lastLoginTimeMS, lastSeenMS) >= sinceMS
      })
    },
    async stored(without) {
      await eventually('the changes of an earlier input are sealed and published', async () => {
        return (await db.auditUnsealed.findOne()) === null && (await db.outbox.findOne()) === null
      })
      const { collections } = (await db.mongo.command({ dbHash: 1 })) as { collections: Record<string, string> }
      return Object.fromEntries(
        Object.entries(collections).filter(([name]) => !alwaysChanging.has(name) && !without.includes(name)),
      )
    },
    memory: ({ pid }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    async stop() {
      socket.close()
      await db.client.close()
      await platform.stop()
      rmSync(filesFolder, { recursive: true })
    },
  }
}
