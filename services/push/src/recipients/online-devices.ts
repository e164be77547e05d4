import { inParts } from '@parley/async/in-parts'
import type { Presence } from '@parley/presence/connect'
import { findOnlineDevices, type OnlineDevicesOfUser } from '@parley/presence/online-devices'
import type { Logger } from '@parley/service/log'

/** The connected devices of these users; users without any are left out. */
export type FindOnlineDevices = (
  app: string,
  users: readonly string[],
  attempt: number,
) => Promise<ReadonlyMap<string, OnlineDevicesOfUser>>

/** Whether a device is connected and not away. */
export function isInUse(devices: OnlineDevicesOfUser | undefined, device: string): boolean {
  return devices?.has(device) === true && devices.get(device) === undefined
}

/** Whether a user has a device that is connected and not away. */
export function isUserInUse(devices: OnlineDevicesOfUser | undefined): boolean {
  return devices !== undefined && [...devices.values()].includes(undefined)
}

/** Passed as the attempt: while Redis is unavailable, everyone counts as offline. */
export const lastAttempt = Number.POSITIVE_INFINITY

const perQuery = 1_000
/** About 15 seconds with the redelivery pauses, enough for a Redis restart. */
const attemptsThatWait = 4

/**
 * Asks Redis. While it is unavailable, the event is redelivered. From the fifth attempt on, everyone counts as offline: an
 * extra push is better than none.
 * @param nodes the live realtime nodes
 */
export function createOnlineDevicesOf(
  presence: Presence,
  nodes: () => readonly string[],
  log: Logger,
): FindOnlineDevices {
  return async (app, users, attempt) => {
    const online = new Map<string, OnlineDevicesOfUser>()
    try {
      for (const part of inParts(users, perQuery)) {
        const found = await findOnlineDevices(presence, app, part, nodes())
        for (const [user, devices] of found) online.set(user, devices)
      }
    } catch (error) {
      if (attempt <= attemptsThatWait) throw error
      log.warn({ err: error, app }, 'online devices not known: pushing to all devices')
    }
    return online
  }
}
