import { randomUUID } from 'node:crypto'
import { type Bus, closeBus, connectBus } from '@parley/bus/connect'
import { createControl } from '@parley/bus/control'
import { type IncomingEvent, toIncomingEvent } from '@parley/bus/incoming'
import { ensureStream } from '@parley/bus/stream'
import { type Chat, createChat } from '@parley/chat/chat'
import { subjectToken } from '@parley/contracts/bus/subjects'
import type { ServerEvent } from '@parley/contracts/socket/server-events'
import { digest, insertApp } from '@parley/db/apps'
import { connectDb } from '@parley/db/connect'
import { closePresence, connectPresence } from '@parley/presence/connect'
import { createLog } from '@parley/service/log'
import { createMetrics } from '@parley/service/metrics'
import { testServers, withDatabase } from '@parley/stack/test-servers'
import { createGateway } from './gateway.ts'
import type { RateLimits } from './rate-limit.ts'

export interface Answer {
  status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  body: any
  headers: Headers
}
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** One request; a string body goes out as it is, anything else as JSON. */
export type CallApi = (
  method: Method,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

/** A gateway of its own for a test file: own database and app on the shared real servers. */
export interface TestGateway {
  url: string
  app: string
  clientKey: string
  /** With the platform permission. */
  apiKey: string
  /** Without it. */
  basicKey: string
  chat: Chat
  /** Calls with the API key. */
  admin: CallApi
  /** Calls without any key. */
  anonymous: CallApi
  /** Creates a user (a random ID by default) and answers the ID, the token and calls as that user. */
  newUser(id?: string, profile?: object): Promise<TestUser>
  /** Creates a group room and answers its ID. */
  newRoom(members: readonly TestUser[], fields?: object): Promise<string>
  /** Hears every event of the app from now on. */
  hear(): Promise<Heard>
  /** A second gateway on the same database, app and keys. */
  another(more?: { rateLimits?: RateLimits }): Promise<TestGateway>
  stop(): Promise<void>
}

export interface TestUser {
  id: string
  token: string
  call: CallApi
}

export interface Heard {
  events: { event: ServerEvent; to: IncomingEvent['to']; payload: unknown; incoming: IncomingEvent }[]
  /** The first event that matches, already heard or to come; fails after 5 s. */
  next(event: ServerEvent, matches?: (payload: never) => boolean): Promise<Heard['events'][number]>
}

export async function startTestGateway(
  shared: Partial<Pick<TestGateway, 'app' | 'clientKey' | 'apiKey' | 'basicKey'>> & {
    database?: string
    rateLimits?: RateLimits
  } = {},
): Promise<TestGateway> {
  const servers = await testServers()
  const database = shared.database ?? `gateway_${randomUUID().replaceAll('-', '')}`
  const db = await connectDb(withDatabase(servers.mongoUrl, database))
  const bus = await connectBus(servers.natsUrl, 'test-gateway')
  await ensureStream(bus)
  const presence = await connectPresence(servers.redisUrl, (error) => log.warn({ err: error }, 'Redis is away'))
  const control = createControl(bus)
  const log = createLog({ service: 'api-gateway', node: 'test', level: 'silent' })
  const chat = createChat({ db, bus, control, log })
  const keys = {
    app: shared.app ?? `app ${randomUUID()}`,
    clientKey: shared.clientKey ?? randomUUID(),
    apiKey: shared.apiKey ?? randomUUID(),
    basicKey: shared.basicKey ?? randomUUID(),
  }
  if (!shared.app) await makeApp(chat, keys)
  const gateway = await createGateway({
    chat,
    log,
    metrics: createMetrics('test'),
    presence,
    ...(shared.rateLimits && { rateLimits: shared.rateLimits }),
  })
  const url = await gateway.listen({ host: '127.0.0.1', port: 0 })
  const admin = caller(url, { 'im-api-key': keys.apiKey })

  return {
    ...keys,
    url,
    chat,
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
    hear: () => hear(bus, keys.app),
    another: (more = {}) => startTestGateway({ ...keys, database, ...more }),
    async stop() {
      await gateway.close()
      await chat.outbox.idle()
      chat.searchIndex.stop()
      control.stop()
      await closeBus(bus)
      await closePresence(presence)
      if (!shared.app) await db.mongo.dropDatabase()
      await db.client.close()
    },
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
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers }
  }
}

async function hear(bus: Bus, app: string): Promise<Heard> {
  const events: Heard['events'] = []
  const waiting = new Set<() => void>()
  bus.nats.subscribe(`parley.*.${subjectToken(app)}.>`, {
    callback: (error, message) => {
      if (error) throw error
      const incoming = toIncomingEvent(message)
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
      const timer = setTimeout(() => reject(new Error(`no ${event} within 5 s; heard: ${heardNames()}`)), 5_000)
      return promise.finally(() => {
        clearTimeout(timer)
        waiting.delete(look)
      })
    },
  }
}
