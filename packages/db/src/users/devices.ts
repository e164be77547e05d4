import { clock } from '@parley/async/clock'
import type { IndexDescription } from 'mongodb'
import type { Db, Session } from '../db.ts'
import { idsOf, key, keyRange } from '../keys.ts'
import type { DeviceDoc } from './documents.ts'

export const deviceIndexes: IndexDescription[] = [{ key: { userKey: 1 } }]

/** Devices kept per user. Clients register at every start, so the longest unused devices are stale. */
const maxPerUser = 100
/** Devices removed per registration, since the size of a command is limited. */
const maxTrimmed = 1_000

/** Identifies a push token: a Web Push subscription by its endpoint, since its JSON varies and its keys change. */
export function pushTokenId(token: string): string {
  if (!token.trimStart().startsWith('{')) return token
  try {
    const { endpoint } = JSON.parse(token) as { endpoint?: unknown }
    return typeof endpoint === 'string' ? endpoint : token
  } catch (error) {
    if (error instanceof SyntaxError) return token
    throw error
  }
}

/** Registers a device's token. Removes the longest unused beyond `maxPerUser`, and the token from other devices. */
export async function saveDevice(
  db: Db,
  device: Pick<DeviceDoc, 'app' | 'user' | 'device' | 'type' | 'token' | 'language'>,
  session: Session,
): Promise<void> {
  const { app, user, token } = device
  const _id = key(app, user, device.device)
  const userKey = key(app, user)
  const loser = await db.deviceTokens.findOneAndUpdate(
    { _id: tokenKey({ app, token }) },
    { $set: { device: _id } },
    { upsert: true, session },
  )
  if (loser && loser.device !== _id) {
    const its = await db.devices.findOne({ _id: loser.device }, { session, projection: tokenOf })
    if (its && isSame(its.token, token)) await db.devices.deleteOne({ _id: its._id }, { session })
  }
  const whole = { ...device, userKey, updatedAt: clock.date() }
  const before = await db.devices.findOneAndReplace({ _id }, whole, { upsert: true, session })
  if (before && !isSame(before.token, token)) await forgetTokens(db, [before], session)
  const unused = await db.devices
    // Excluded: another process's clock can be ahead, but the new registration must stay.
    .find({ userKey, _id: { $ne: _id } }, { session, projection: tokenOf })
    .sort({ updatedAt: -1 })
    .skip(maxPerUser - 1)
    .limit(maxTrimmed)
    .toArray()
  await deleteFound(db, unused, session)
}

/** Unregisters a user's device by ID or token, or all devices. Returns their number. */
export async function deleteDevices(
  db: Db,
  app: string,
  user: string,
  which: { device: string } | { token: string } | 'all',
  session?: Session,
): Promise<number> {
  const filter = { userKey: key(app, user), ...(which !== 'all' && 'device' in which && which) }
  const found = await db.devices.find(filter, { projection: tokenOf, ...(session && { session }) }).toArray()
  const wanted = which !== 'all' && 'token' in which ? found.filter(({ token }) => isSame(token, which.token)) : found
  return deleteFound(db, wanted, session)
}

const tokenOf = { app: 1, token: 1 } as const
type Found = Pick<DeviceDoc, '_id' | 'app' | 'token'>

const isSame = (token: string, other: string) => token === other || pushTokenId(token) === pushTokenId(other)
const tokenKey = ({ app, token }: Pick<DeviceDoc, 'app' | 'token'>) => key(app, pushTokenId(token))

async function deleteFound(db: Db, found: readonly Found[], session?: Session): Promise<number> {
  if (found.length === 0) return 0
  const ids = { _id: { $in: idsOf(found) } }
  const { deletedCount } = await db.devices.deleteMany(ids, { ...(session && { session }) })
  await forgetTokens(db, found, session)
  return deletedCount
}

/** Removes token entries unless another device has the token. A kill can leave one; the next holder replaces it. */
async function forgetTokens(db: Db, found: readonly Found[], session?: Session): Promise<void> {
  const _id = { $in: found.map(tokenKey) }
  const device = { $in: found.map((one) => one._id) }
  await db.deviceTokens.deleteMany({ _id, device }, { ...(session && { session }) })
}

/** The devices of many users in one query, at most `maxPerUser` each. */
export async function findDevicesOfUsers(db: Db, app: string, users: readonly string[]): Promise<DeviceDoc[]> {
  if (users.length === 0) return []
  const found = new Map<string, DeviceDoc[]>()
  for await (const device of db.devices.find({ userKey: { $in: users.map((user) => key(app, user)) } })) {
    const own = found.get(device.userKey) ?? []
    own.push(device)
    found.set(device.userKey, own.length < 2 * maxPerUser ? own : latestUsed(own))
  }
  return Array.from(found.values()).flatMap(latestUsed)
}

function latestUsed(devices: DeviceDoc[]): DeviceDoc[] {
  if (devices.length <= maxPerUser) return devices
  return devices.toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime()).slice(0, maxPerUser)
}

/** Devices by `_id`; unregistered ones are omitted. */
export async function findDevices(db: Db, ids: readonly string[]): Promise<DeviceDoc[]> {
  return ids.length === 0 ? [] : db.devices.find({ _id: { $in: [...ids] } }).toArray()
}

/**
 * A page of the devices of an app or of one user, by user and device.
 * @param after user and device of the last one on the page before, joined as in keys
 */
export async function findDevicePage(
  db: Db,
  app: string,
  { client, after, limit }: { client: string | undefined; after: string | undefined; limit: number },
): Promise<DeviceDoc[]> {
  const range = keyRange(client === undefined ? app : key(app, client))
  const start = after === undefined ? range.$gt : key(app, after)
  const _id = { $gt: start > range.$gt ? start : range.$gt, $lt: range.$lt }
  return db.devices.find({ _id }).sort({ _id: 1 }).limit(limit).toArray()
}

/** Records why the last push to a device failed, or that one was sent. A device registered with another token has none. */
export async function setDeviceError(
  db: Db,
  { device: _id, token }: { device: string; token: string },
  lastError: DeviceDoc['lastError'],
): Promise<void> {
  await db.devices.updateOne({ _id, token }, lastError ? { $set: { lastError } } : { $unset: { lastError: 1 } })
}

/** Removes a token that its push network rejected, unless it was registered again after `sinceMS`. */
export async function deleteDeadToken(db: Db, app: string, token: string, sinceMS: number): Promise<void> {
  const device = await findHolder(db, app, token)
  if (device === undefined) return
  const filter = { _id: device, token, updatedAt: { $lte: new Date(sinceMS) } }
  const { deletedCount } = await db.devices.deleteOne(filter)
  if (deletedCount > 0) await forgetTokens(db, [{ _id: device, app, token }])
}

export async function setDeviceTopic(db: Db, app: string, token: string, topic: string): Promise<void> {
  const device = await findHolder(db, app, token)
  if (device !== undefined) await db.devices.updateOne({ _id: device, token }, { $set: { topic } })
}

async function findHolder(db: Db, app: string, token: string): Promise<string | undefined> {
  return (await db.deviceTokens.findOne({ _id: tokenKey({ app, token }) }))?.device
}
