import type { Db } from '../connect.ts'
import { keyRange } from '../keys.ts'
import { deviceDecisions, userReasons } from './push-decisions.ts'

/**
 * Forgets the pushes to an erased user: their devices' tokens, what was decided for them, and what came of it. Looks through
 * what is kept of the app's pushes, a week at most: no index is kept for this.
 */
export async function forgetPushes(db: Db, app: string, user: string): Promise<void> {
  const _id = keyRange(app)
  await db.pushes.deleteMany({ _id, user })
  await db.pushResults.updateMany({ _id, 'results.user': user }, { $pull: { results: { user } } })
  const ofUser = [...userReasons.map((reason) => `users.${reason}`), 'called']
  const ofDevices = deviceDecisions.map((decision) => `devices.${decision}`)
  const devices = { $gte: `${user}\0`, $lt: `${user}\u0001` }
  const isNamed = [
    ...ofUser.map((path) => ({ [path]: user })),
    ...ofDevices.map((path) => ({ [path]: { $elemMatch: devices } })),
  ]
  const pull = Object.fromEntries([
    ...ofUser.map((path) => [path, user] as const),
    ...ofDevices.map((path) => [path, devices] as const),
  ])
  await db.pushDecisions.updateMany({ _id, $or: isNamed }, { $pull: pull })
}
