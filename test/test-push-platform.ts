import { randomUUID } from 'node:crypto'
import { connectDb, type Db } from '@parley/db/connect'
import { saveDevice } from '@parley/db/devices'
import { inTransaction } from '@parley/db/transaction'
import { type ApnsDouble, startApns } from './doubles/apns.ts'
import { type FcmDouble, startFcm } from './doubles/fcm.ts'
import { certificateFile } from './doubles/tls.ts'
import { call, type Platform, type RunningService, startPlatform } from './platform.ts'

/** A platform with doubles of the push networks; a test starts the push processes itself. */
export interface PushPlatform extends Platform {
  db: Db
  apns: ApnsDouble
  fcm: FcmDouble
  gateway: RunningService
  /** Starts a push service that uses the doubles. */
  startPush(env?: NodeJS.ProcessEnv): Promise<RunningService>
  /** Calls with the API key; fails unless the answer is 200. */
  admin(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** Calls as a user made by `newUser`; fails unless the answer is 200. */
  as(user: string, method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** Creates a user with devices, whose tokens are `<user>-<type>`; answers his ID. */
  newUser(devices?: readonly ('ios' | 'fcm')[], profile?: object): Promise<string>
  newRoom(members: readonly string[], fields?: object): Promise<string>
  /** Sends a message and answers its ID. */
  send(room: string, sender: string, fields?: object): Promise<string>
  /** A sample of the push service's metrics, 0 when there is none. */
  metric(service: RunningService, sample: RegExp): Promise<number>
}

export async function startPushPlatform(): Promise<PushPlatform> {
  const platform = await startPlatform()
  const [apns, fcm, gateway, db] = await Promise.all([
    startApns(),
    startFcm(),
    platform.start('api-gateway'),
    connectDb(platform.servers.mongoUrl),
  ])

  const tokens = new Map<string, string>()

  async function callBy(
    headers: Record<string, string>,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Record<string, unknown>> {
    const answer = await call(gateway.url, method, path, headers, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.result
  }
  const admin: PushPlatform['admin'] = (...about) => callBy({ 'im-api-key': platform.apiKey }, ...about)
  const as: PushPlatform['as'] = (user, ...about) =>
    callBy({ 'im-client-key': platform.clientKey, 'im-authorization': tokens.get(user) ?? '' }, ...about)

  return {
    ...platform,
    ...{ db, apns, fcm, gateway, admin, as },
    startPush: (env) =>
      platform.start('push', {
        NODE_EXTRA_CA_CERTS: certificateFile,
        PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'true',
        ...apns.env,
        ...fcm.env,
        ...env,
      }),
    async newUser(devices = [], profile = {}) {
      const _id = randomUUID()
      const { token } = await admin('POST', '/admin/clients', { _id, issueAccessToken: true, ...profile })
      tokens.set(_id, String(token))
      for (const type of devices) {
        await as(_id, 'POST', '/me/subscribe', { type, token: `${_id}-${type}`, deviceId: `${type} of ${_id}` })
      }
      return _id
    },
    async newRoom(members, fields = {}) {
      const { _id } = await admin('POST', '/rooms/', { roomType: 'group', members, ...fields })
      return String(_id)
    },
    async send(room, sender, fields = {}) {
      const message = { room, sender, message: 'hello', messageType: 'text', ...fields }
      return String((await admin('POST', '/messages', message))['_id'])
    },
    async metric(service, sample) {
      const text = await (await fetch(`http://127.0.0.1:${service.ports['internal']}/metrics`)).text()
      const found = text.split('\n').find((line) => sample.test(line))
      return found === undefined ? 0 : Number(found.split(' ').at(-1))
    },
    async stop() {
      await platform.stop()
      await Promise.all([apns.stop(), fcm.stop(), db.client.close()])
    },
  }
}

/** Registers devices of many users, as POST /me/subscribe does. */
export async function addDevices(
  db: Db,
  app: string,
  users: readonly string[],
  types: readonly ('ios' | 'fcm')[],
): Promise<void> {
  for (const user of users) {
    for (const type of types) {
      const device = { app, user, device: `${type} of ${user}`, type, token: `${user}-${type}` }
      await inTransaction(db, (session) => saveDevice(db, device, session))
    }
  }
}
