import { clock } from '@parley/async/clock'
import type { ClientSession, IndexDescription } from 'mongodb'
import type { Db } from '../db.ts'
import { key } from '../keys.ts'
import type { DeviceDoc } from './documents.ts'

export const deviceIndexes: IndexDescription[] = [{ key: { userKey: 1 } }, { key: { app: 1, token: 1 }, unique: true }]

/** Devices of a user. An app registers its own at every start, so the longest unused ones are stale. */
const mostPerUser = 100
/** Maximum removed by one registration, since a command has a size limit. */
const mostTrimmed = 1_000

/** Registers the token of a device; beyond the limit, the longest unused devices go. A token belongs to one device: another user of the same phone loses it. */
export async function saveDevice(
  db: Db,
  device: Pick<DeviceDoc, 'app' | 'user' | 'device' | 'type' | 'token' | 'language'>,
  session: ClientSession,
): Promise<void> {
  const { app, user, token } = device
  const _id = key(app, user, device.device)
  await db.devices.deleteMany({ app, token, _id: { $ne: _id } }, { session })
  const whole = { ...device, userKey: key(app, user), updatedAt: clock.date() }
  await db.devices.replaceOne({ _id }, whole, { upsert: true, session })
  const unused = await db.devices
    // The clock of another process can be ahead: the new registration stays regardless.
    .find({ userKey: whole.userKey, _id: { $ne: _id } }, { session, projection: { _id: 1 } })
    .sort({ updatedAt: -1 })
    .skip(mostPerUser - 1)
    .limit(mostTrimmed)
    .toArray()
  if (unused.length === 0) return
  await db.devices.deleteMany({ _id: { $in: unused.map((other) => other._id) } }, { session })
}

/** Unregisters a device of the user, by its ID or token, or all of them; returns how many there were. */
export async function deleteDevices(
  db: Db,
  app: string,
  user: string,
  which: { device: string } | { token: string } | 'all',
  session?: ClientSession,
): Promise<number> {
  const filter = { userKey: key(app, user), ...(which !== 'all' && which) }
  return (await db.devices.deleteMany(filter, { ...(session && { session }) })).deletedCount
}

/** The devices of many users in one query, each up to the limit. */
export async function findDevicesOfUsers(db: Db, app: string, users: readonly string[]): Promise<DeviceDoc[]> {
  if (users.length === 0) return []
  const found = new Map<string, DeviceDoc[]>()
  for await (const device of db.devices.find({ userKey: { $in: users.map((user) => key(app, user)) } })) {
    const own = found.get(device.userKey) ?? []
    own.push(device)
    found.set(device.userKey, own.length < 2 * mostPerUser ? own : usedLast(own))
  }
  return Array.from(found.values()).flatMap(usedLast)
}

function usedLast(devices: DeviceDoc[]): DeviceDoc[] {
  if (devices.length <= mostPerUser) return devices
  return devices.toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime()).slice(0, mostPerUser)
}

/** Devices by their `_id`; those that are not registered are left out. */
export async function findDevices(db: Db, ids: readonly string[]): Promise<DeviceDoc[]> {
  return ids.length === 0 ? [] : db.devices.find({ _id: { $in: [...ids] } }).toArray()
}

/** Removes a token that its network rejected, unless it was registered again after `sinceMS`. */
export async function deleteDeadToken(db: Db, app: string, token: string, sinceMS: number): Promise<void> {
  await db.devices.deleteOne({ app, token, updatedAt: { $lte: new Date(sinceMS) } })
}

/** Records the APNs topic of a token. */
export async function setDeviceTopic(db: Db, app: string, token: string, topic: string): Promise<void> {
  await db.devices.updateOne({ app, token }, { $set: { topic } })
}
