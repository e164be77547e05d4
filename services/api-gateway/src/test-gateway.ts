import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bus, connectBus } from '@parley/bus/connect'
import { holdCacheLease } from '@parley/bus/control/cache-lease'
import { createControl } from '@parley/bus/control/control'
import { type IncomingEvent, toIncomingEvent } from '@parley/bus/events/incoming'
import { ensureStream } from '@parley/bus/stream/stream'
import { createTokenCache } from '@parley/chat/access/token-cache'
import type { Chat } from '@parley/chat/chat'
import { createChat } from '@parley/chat/create-chat'
import { createUploads } from '@parley/chat/files/uploads'
import type { HookCalls } from '@parley/chat/ports'
import type { AtPoint } from '@parley/chat/send/flush-queue'
import { subjectToken } from '@parley/contracts/bus/subjects'
import { defined } from '@parley/contracts/defined'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import { digest, insertApp } from '@parley/db/apps/apps'
import { connectDb } from '@parley/db/connect'
import { newId } from '@parley/db/messages/messages'
import { giveBackDatabase, makeDatabase, takeDatabase } from '@parley/db/test-database'
import { refuseUnroutable } from '@parley/db/test-shard-routing'
import type { FolderStore } from '@parley/files/file-store'
import { folderStore } from '@parley/files/folder-store'
import { closePresence, connectPresence } from '@parley/presence/connect'
import { createLog } from '@parley/service/log'
import { createMetrics, type Metrics } from '@parley/service/metrics'
import { type ServerUrls, testServers, withDatabase } from '@parley/stack/test-servers'
import { createGateway, type GatewayParts } from './gateway.ts'

export interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of every shape
  body: any
  /** The raw body. */
  text: string
  headers: Headers
}
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** One request; a string body is sent unchanged, anything else as JSON. */
export type CallApi = (
  method: Method,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

type GatewayLimits = Pick<
  GatewayParts,
  'rateLimits' | 'trustedProxies' | 'receiveMS' | 'maxLoopDelayMS' | 'chatPage' | 'mcpOrigins' | 'console'
> & {
  files?: Partial<GatewayParts['files']>
}

interface Connections {
  /** Calls to servers of apps; without them none is made. */
  hookCalls?: HookCalls
  atPoint?: AtPoint
  natsUrl?: string
  mongoUrl?: string
}

/** A gateway of its own for a test file: own database and app on the shared real servers. */
export interface TestGateway {
  url: string
  app: string
  clientKey: string
  /** With the platform permission. */
  apiKey: string
  /** Without the platform permission. */
  basicKey: string
  metrics: Metrics
  chat: Chat
  /** The folder of its files. */
  store: FolderStore
  /** Calls with the API key. */
  admin: CallApi
  /** Calls without any key. */
  anonymous: CallApi
  /** Creates a user (a random ID by default) and returns the ID, the token and calls as that user. */
  newUser(id?: string, profile?: object): Promise<TestUser>
  /** Creates a group room and returns its ID. */
  newRoom(members: readonly TestUser[], fields?: object): Promise<string>
  /** Listens to every event of the app from now on. */
  hear(): Promise<Heard>
  /** A second gateway on the same database, app and keys. */
  another(more?: GatewayLimits & Connections): Promise<TestGateway>
  stop(): Promise<void>
}

export interface TestUser {
  id: string
  token: string
  call: CallApi
}

export interface Heard {
  events: { event: ServerEvent; to: IncomingEvent['to']; payload: unknown; incoming: IncomingEvent }[]
  /** The first matching event, past or future; fails after 100 s. */
  next(event: ServerEvent, matches?: (payload: never) => boolean): Promise<Heard['events'][number]>
}

/** How many gateways of this process use each database. */
const gateways = new Map<string, number>()
/** Databases to give back once no gateway uses them. */
const lent = new Set<string>()

export async function startTestGateway(
  shared: Partial<Pick<TestGateway, 'app' | 'clientKey' | 'apiKey' | 'basicKey'>> & {
    database?: string
    /** Replaces the servers that all tests of a run share. */
    servers?: ServerUrls
  } & Connections &
    GatewayLimits = {},
): Promise<TestGateway> {
  const servers = shared.servers ?? (await testServers())
  const isLent = !shared.database && !shared.servers && !shared.mongoUrl
  const serverUrl = shared.mongoUrl ?? servers.mongoUrl
  const database = shared.database ?? (await (isLent ? takeDatabase() : makeDatabase(serverUrl)))
  const mongoUrl = withDatabase(serverUrl, database)
  gateways.set(database, (gateways.get(database) ?? 0) + 1)
  if (isLent) lent.add(database)
  // `stop` fails if a cluster of shards would refuse a statement.
  const routing = refuseUnroutable()
  const db = await connectDb(mongoUrl, { onCommand: routing.onCommand })
  const bus = await connectBus(shared.natsUrl ?? servers.natsUrl, 'test-gateway')
  await ensureStream(bus)
  const presence = await connectPresence(servers.redisUrl, (error) => log.warn({ err: error }, 'Redis is away'))
  const control = createControl(bus)
  const cacheLease = holdCacheLease(bus, newId(), () => undefined)
  const log = createLog({ service: 'api-gateway', node: 'test', level: 'silent' })
  // An overloaded machine must not turn responses into jobs.
  const settings = { jobAfterMS: 60_000, ratePerApiKey: shared.rateLimits?.perApiKey ?? 0 }
  const chat = createChat({
    ...{ db, bus, control, cacheLease, log, settings },
    ...(shared.atPoint && { atPoint: shared.atPoint }),
    ...(shared.hookCalls && { hookCalls: shared.hookCalls }),
  })
  const keys = {
    app: shared.app ?? `app ${randomUUID()}`,
    clientKey: shared.clientKey ?? randomUUID(),
    apiKey: shared.apiKey ?? randomUUID(),
    basicKey: shared.basicKey ?? randomUUID(),
  }
  if (!shared.app) await makeApp(chat, keys)
  const store = folderStore(join(tmpdir(), `parley-files-${database}`))
  const uploads = createUploads({ bytesPerUser: 0, bytes: 0 })
  const metrics = createMetrics('test')
  const { rateLimits, trustedProxies, receiveMS, maxLoopDelayMS, mcpOrigins, chatPage, console } = shared
  const gateway = await createGateway({
    chat,
    log,
    metrics,
    presence,
    findToken: createTokenCache(chat),
    files: { store, uploads, maxBytes: 64 * 1024 ** 2, maxBytesPerUser: 0, isScanned: false, ...shared.files },
    ...defined({ rateLimits, trustedProxies, receiveMS, maxLoopDelayMS, mcpOrigins, chatPage, console }),
  })
  const url = await gateway.listen({ host: '127.0.0.1', port: 0 })
  const admin = caller(url, { 'im-api-key': keys.apiKey })

  return {
    ...keys,
    url,
    metrics,
    chat,
    store,
    admin,
    anonymous: caller(url, {}),
    async newUser(id = randomUUID(), profile = {}) {
      const { body } = await admin('POST', '/admin/clients', { _id: id, issueAccessToken: true, ...profile })
      const { token } = body.result
      const headers = {
        'im-client-key': keys.clientKey,
        'im-authorization': token,
        'im-client-id': encodeURIComponent(id),
      }
      return { id, token, call: caller(url, headers) }
    },
    async newRoom(members, fields = {}) {
      const room = { roomType: 'group', members: members.map((member) => member.id), ...fields }
      return (await admin('POST', '/rooms/', room)).body.result._id
    },
    async hear() {
      // Earlier events can be published after their responses.
      await chat.outbox.drained()
      return hear(bus, keys.app)
    },
    another: (more = {}) => startTestGateway({ ...keys, database, servers, ...more }),
    async stop() {
      await gateway.close()
      cacheLease.stop()
      await chat.flusher.drained()
      await chat.outbox.drained()
      chat.searchIndex.stop()
      control.stop()
      await bus.close()
      await closePresence(presence)
      if (!shared.app) await rm(store.root, { recursive: true, force: true })
      const others = (gateways.get(database) ?? 0) - 1
      gateways.set(database, others)
      const isGivenBack = others === 0 && lent.delete(database)
      const isDropped = !shared.app && !isGivenBack && others === 0
      if (isDropped) await db.mongo.dropDatabase({ writeConcern: { w: 1 } })
      await db.client.close()
      if (isGivenBack) await giveBackDatabase(database)
      if (routing.refused.length > 0) throw new Error(`with shards: ${routing.refused.join(', ')}`)
    },
  }
}

/** A gateway with two users, alice and bob. */
export async function startWithAliceAndBob(
  profile?: object,
): Promise<{ gateway: TestGateway; alice: TestUser; bob: TestUser }> {
  const gateway = await startTestGateway()
  return { gateway, alice: await gateway.newUser('alice', profile), bob: await gateway.newUser('bob') }
}

/** A gateway with a user, alice, in a group of their own. */
export async function startWithAlice(): Promise<{ gateway: TestGateway; alice: TestUser; room: string }> {
  const gateway = await startTestGateway()
  const alice = await gateway.newUser('alice')
  return { gateway, alice, room: await gateway.newRoom([alice]) }
}

/** Retries on 503: this many calls can overload a busy machine, and a call refused so had no effect. */
export async function insist(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call()
    if (answer.status !== 503) return answer
  }
}

async function makeApp(chat: Chat, keys: { app: string; clientKey: string; apiKey: string; basicKey: string }) {
  const createdAt = new Date()
  await insertApp(chat.db, {
    _id: keys.app,
    clientKey: keys.clientKey,
    apiKeys: [
      { digest: digest(keys.apiKey), permissions: ['platform'], createdAt },
      { digest: digest(keys.basicKey), permissions: [], createdAt },
    ],
    webhookSecret: `whsec_${Buffer.from(keys.app).toString('base64')}`,
    createdAt,
  })
}

function caller(url: string, own: Record<string, string>): CallApi {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { ...own, ...(body !== undefined && { 'content-type': 'application/json; charset=utf-8' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), text, headers: answer.headers }
  }
}

async function hear(bus: Bus, app: string): Promise<Heard> {
  const events: Heard['events'] = []
  const waiting = new Set<() => void>()
  // As in the stream: an event acknowledged late is published again, and counts once.
  const ids = new Set<string>()
  bus.nats.subscribe(`parley.*.*.${subjectToken(app)}.>`, {
    callback: (error, message) => {
      if (error) throw error
      if (/^parley\.(feed|presence)\./.test(message.subject)) return
      const incoming = toIncomingEvent(message)
      const id = message.headers?.get('Nats-Msg-Id') ?? ''
      if (ids.has(id) && !incoming.republished) return
      if (id !== '') ids.add(id)
      events.push({ ...incoming, payload: message.json(), incoming })
      for (const look of waiting) look()
    },
  })
  await bus.nats.flush()
  return {
    events,
    next(event, matches = () => true) {
      const { promise, resolve, reject } = Promise.withResolvers<Heard['events'][number]>()
      const look = () => {
        const found = events.find((heard) => heard.event === event && matches(heard.payload as never))
        if (found) resolve(found)
      }
      waiting.add(look)
      look()
      const heardNames = () => events.map((heard) => heard.event).join(', ')
      const timer = setTimeout(() => reject(new Error(`no ${event} within 100 s; heard: ${heardNames()}`)), 100_000)
      return promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(look)
      })
    },
  }
}
