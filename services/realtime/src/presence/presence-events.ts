import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Bus } from '@parley/bus/connect'
import { publishPresenceEvent } from '@parley/bus/events/presence-events'
import type { OnlineDevices } from '@parley/presence/announce-devices'
import type { SocketsChanged } from '../connections/sockets.ts'

/** Notifies the nodes that watch a user of changes here. Those of one event loop turn go together, after Redis. */
export function createOwnPresenceEvents(
  bus: Bus,
  online: Pick<OnlineDevices, 'reported'>,
): { changed: SocketsChanged['devices'] } {
  /** The state of this node's users, by `app NUL user`. */
  const states = new Map<string, 'online' | 'away'>()
  let changed = new Map<string, { app: string; user: string }>()

  async function publishSoon(): Promise<void> {
    await nextTurn()
    const about = changed
    changed = new Map()
    await online.reported()
    for (const user of about.values()) publishPresenceEvent(bus, user, 'state')
  }

  return {
    changed(app, user, devices, awaySinceMS) {
      const name = `${app}\0${user}`
      const state = devices.size === 0 ? undefined : awaySinceMS.size === devices.size ? 'away' : 'online'
      if (states.get(name) === state) return
      if (state === undefined) states.delete(name)
      else states.set(name, state)
      if (changed.size === 0) void publishSoon()
      changed.set(name, { app, user })
    },
  }
}
