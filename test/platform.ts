import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { dropDatabase, giveBackDatabase, takeDatabase } from '@parley/db/test-database'
import { type DemoKeys, makeApp } from '@parley/local/make-app'
import { areTenants, isolatedServers, withDatabase } from '@parley/stack/test-servers'
import type { ServerName, Servers } from '@parley/stack/up'
import { io, type Socket } from 'socket.io-client'
import { type RunningService, type ServiceStarter, serviceStarter } from './faults/running-services.ts'

export { eventually } from '@parley/stack/eventually'
export type { RunningService } from './faults/running-services.ts'

export type Fields = Record<string, unknown>

/** A user with a token. */
export interface PlatformUser {
  id: string
  token: string
  /** The request headers of the user. */
  headers: Record<string, string>
  /** Calls the first gateway as the user; returns `result`. Throws unless the status is 200. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Fields>
}

/** A test's own service processes, which it can kill, on real servers with exclusive databases. */
export interface Platform extends DemoKeys {
  /** Only those in `toKill` can be killed. */
  servers: Servers
  start: ServiceStarter['start']
  /** Calls the first gateway with the API key; returns `result`. Throws unless the status is 200. */
  admin: (this: void, method: string, path: string, body?: unknown) => Promise<Fields>
  /** Creates a user with a token; the ID is random by default. */
  newUser(id?: string, profile?: object): Promise<PlatformUser>
  /** Creates a group; returns its ID. */
  newRoom(members: readonly string[], fields?: object): Promise<string>
  /** Sends up to 1,000 texts to a room in one request, in order. */
  sendAll(room: string, sender: string, texts: readonly string[]): Promise<void>
  /** Connects and authenticates a stock client of the user. */
  connect(node: RunningService, user: PlatformUser, options?: ClientOptions): Promise<Socket>
  stop(): Promise<void>
}

/**
 * @param toKill servers that the test kills, which are started for it; others are shared with other tests
 * @param own the test's own servers instead, which stop with the platform
 * @param changesSchema whether the database cannot be emptied for the next test
 */
export async function startPlatform({
  toKill = [],
  own,
  changesSchema = false,
  logs = join(import.meta.dirname, '../.parley/test-logs'),
}: {
  toKill?: readonly ServerName[]
  own?: Servers
  changesSchema?: boolean
  logs?: string
} = {}): Promise<Platform> {
  const isolated = own ?? (await isolatedServers(toKill))
  const isLent = !own && !changesSchema && !toKill.includes('mongo') && areTenants()
  const servers = isLent ? await onLentDatabase(isolated, () => services.hasKilled) : isolated
  const keys = await makeApp(servers.mongoUrl, `app ${randomUUID()}`)
  const services = serviceStarter(servers, logs)

  async function succeed(headers: Record<string, string>, method: string, path: string, body?: unknown) {
    const { status, body: answer } = await call(services.firstGateway().url, method, path, headers, body)
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    return answer.result
  }
  const admin: Platform['admin'] = (...about) => succeed({ 'im-api-key': keys.apiKey }, ...about)

  return {
    ...keys,
    servers,
    start: (...about) => services.start(...about),
    admin,
    async newUser(id = randomUUID(), profile = {}) {
      const answer = await admin('POST', '/admin/clients', { _id: id, issueAccessToken: true, ...profile })
      const token = String(answer['token'])
      const headers = {
        'im-client-key': keys.clientKey,
        'im-authorization': token,
        'im-client-id': encodeURIComponent(id),
      }
      const callAsUser: PlatformUser['call'] = (method, path, body, more) =>
        succeed({ ...headers, ...more }, method, path, body)
      return { id, token, headers, call: callAsUser }
    },
    async newRoom(members, fields = {}) {
      return String((await admin('POST', '/rooms/', { roomType: 'group', members, ...fields }))['_id'])
    },
    async sendAll(room, sender, texts) {
      const paras = texts.map(($text$) => ({ room, $text$ }))
      const outcomes = await admin('POST', '/messages/batch', { sender, message: '$text$', messageType: 'text', paras })
      const refused = Object.values(outcomes).filter((outcome) => (outcome as Fields)['error'] !== undefined)
      if (refused.length > 0) throw new Error(`not sent: ${JSON.stringify(refused)}`)
    },
    connect: ({ url }, { token }, options) => connectClient(url, token, options),
    async stop() {
      await services.stop()
      await servers.stop()
    },
  }
}

/**
 * The servers with a database that earlier tests of this process used, emptied. If a service was killed, later tests do
 * not get it: a late write would be theirs.
 */
async function onLentDatabase(servers: Servers, hasKilled: () => boolean): Promise<Servers> {
  const database = await takeDatabase()
  return {
    ...servers,
    mongoUrl: withDatabase(servers.mongoUrl, database),
    async stop() {
      await servers.stop()
      await (hasKilled() ? dropDatabase(database) : giveBackDatabase(database))
    },
  }
}

/** Starts a platform with a gateway and a realtime node. */
export async function startPlatformWithNode(): Promise<{ platform: Platform; node: RunningService }> {
  const platform = await startPlatform()
  const [, node] = await Promise.all([platform.start('api-gateway'), platform.start('realtime')])
  return { platform, node }
}

/** Starts a platform with a gateway and two realtime nodes. */
export async function startPlatformWithNodes(): Promise<{
  platform: Platform
  nodes: [RunningService, RunningService]
}> {
  const platform = await startPlatform()
  const { start } = platform
  const [, ...nodes] = await Promise.all([start('api-gateway'), start('realtime'), start('realtime')])
  return { platform, nodes }
}

export type Answer = { status: number; body: { RC: number; result: Fields } }

/** Calls a gateway. Rejects without a response. */
export async function call(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Answer> {
  const answer = await fetch(url + path, {
    method,
    signal: AbortSignal.timeout(60_000),
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

interface ClientOptions {
  transports?: string[]
  deviceId?: string
  clientKey?: string
  encoding?: string
  headers?: Record<string, string>
}

/** Connects and authenticates a stock client; `encoding` is set with `conf`. */
export async function connectClient(url: string, token: string, options: ClientOptions = {}): Promise<Socket> {
  const { transports = ['websocket'], deviceId, clientKey, encoding, headers = {} } = options
  const socket = io(url, { transports, extraHeaders: headers, reconnection: false, forceNew: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  if (encoding !== undefined) {
    const confirmed = await socket.emitWithAck('conf', { encoding })
    if (confirmed.RC !== 0) throw new Error(`conf: ${JSON.stringify(confirmed)}`)
  }
  const answer = await socket.emitWithAck('auth2', token, { deviceId, clientKey })
  if (answer.RC !== 0) throw new Error(`auth2: ${JSON.stringify(answer)}`)
  return socket
}
