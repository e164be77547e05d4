import { randomUUID } from 'node:crypto'
import { connectDb, type Db } from '@parley/db/connect'
import { inTransaction } from '@parley/db/transactions/transaction'
import { saveDevice } from '@parley/db/users/devices'
import { type ApnsDouble, startApns } from '../doubles/apns.ts'
import { type FcmDouble, startFcm } from '../doubles/fcm.ts'
import { certificateFile } from '../doubles/tls.ts'
import { type Platform, type PlatformUser, type RunningService, startPlatform } from '../platform.ts'
import { metricsOf } from '../service-metrics.ts'

/** A platform with doubles of the push networks. Tests start the push services themselves. */
export interface PushPlatform extends Omit<Platform, 'newUser'> {
  db: Db
  apns: ApnsDouble
  fcm: FcmDouble
  gateway: RunningService
  /** Starts a push service that uses the doubles. */
  startPush(env?: NodeJS.ProcessEnv): Promise<RunningService>
  /** Calls as a user from `newUser`. Throws unless the status is 200. */
  as(user: string, method: string, path: string, body?: unknown): Promise<Record<string, unknown>>
  /** The token of a user from `newUser`. */
  tokenOf(user: string): string
  /** Creates a user with devices whose tokens are `<user>-<type>`; returns the user ID. */
  newUser(devices?: readonly ('ios' | 'fcm')[], profile?: object): Promise<string>
  /** Sends a message; returns its ID. */
  send(room: string, sender: string, fields?: object): Promise<string>
  /** The value of a push service's metric, 0 if missing. */
  metric(service: RunningService, sample: RegExp): Promise<number>
  /** The state of a network's credentials in the overview, with the last error. */
  shownOf(network: string): Promise<string>
}

export async function startPushPlatform(options?: Parameters<typeof startPlatform>[0]): Promise<PushPlatform> {
  const platform = await startPlatform(options)
  const [apns, fcm, gateway, db] = await Promise.all([
    startApns(),
    startFcm(),
    platform.start('api-gateway'),
    connectDb(platform.servers.mongoUrl),
  ])

  const users = new Map<string, PlatformUser>()
  const as: PushPlatform['as'] = (id, ...about) => {
    const user = users.get(id)
    if (!user) throw new Error(`no user ${id}`)
    return user.call(...about)
  }

  return {
    ...platform,
    ...{ db, apns, fcm, gateway, as },
    startPush: (env) =>
      platform.start('push', {
        NODE_EXTRA_CA_CERTS: certificateFile,
        PARLEY_PUSH_ALLOW_PRIVATE_TARGETS: 'true',
        ...apns.env,
        ...fcm.env,
        ...env,
      }),
    tokenOf: (user) => users.get(user)?.token ?? '',
    async newUser(devices = [], profile = {}) {
      const user = await platform.newUser(randomUUID(), profile)
      users.set(user.id, user)
      for (const type of devices) {
        const device = { type, token: `${user.id}-${type}`, deviceId: `${type} of ${user.id}` }
        await user.call('POST', '/me/subscribe', device)
      }
      return user.id
    },
    async send(room, sender, fields = {}) {
      const message = { room, sender, message: 'hello', messageType: 'text', ...fields }
      return String((await platform.admin('POST', '/messages', message))['_id'])
    },
    async metric(service, sample) {
      const text = await metricsOf(service)
      const found = text.split('\n').find((line) => sample.test(line))
      return found === undefined ? 0 : Number(found.split(' ').at(-1))
    },
    async shownOf(network) {
      const { processes } = (await platform.admin('GET', '/admin/overview')) as {
        processes: { credentials?: { network: string; state: string; lastError?: string }[] }[]
      }
      const { state, lastError } =
        processes.flatMap(({ credentials = [] }) => credentials).find((one) => one.network === network) ?? {}
      return [state, lastError].filter((part) => part !== undefined).join(': ')
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
