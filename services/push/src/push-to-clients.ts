import type { StreamMessage } from '@parley/bus/consume'
import { pushToClientsOrder } from '@parley/contracts/bus/push-orders'
import { parsePushSubject } from '@parley/contracts/bus/subjects'
import type { Db } from '@parley/db/connect'
import { findDevicesOfUsers } from '@parley/db/devices'
import { key } from '@parley/db/keys'
import { insertPushContent, insertPushes, type PushNetwork } from '@parley/db/pushes'
import type { PushContent } from './network.ts'
import { networkOf, pushTo } from './push-message.ts'
import { readPayload } from './read-payload.ts'
import type { Wake } from './wake.ts'

export interface PushToClientsParts {
  db: Db
  networks: ReadonlySet<PushNetwork>
  keepMS: number
  wakeNetworks: Wake['up']
}

/** Makes the handler of push2clients: to every registered device of the clients, connected or not. */
export function createClientsPusher(parts: PushToClientsParts): (message: StreamMessage) => Promise<void> {
  const { db, networks, keepMS, wakeNetworks } = parts
  return async (message) => {
    const { subject, takenAtMS } = message
    const app = parsePushSubject(subject)
    const { id, clients, payload, request } = readPayload(message, pushToClientsOrder)
    const wantedUntilMS = payload.expiry ? payload.expiry * 1_000 : Number.POSITIVE_INFINITY
    const giveUpAtMS = Math.min(takenAtMS + keepMS, wantedUntilMS)
    const content = key(app, id)
    const said: PushContent = { of: 'clients', order: id, payload, ...(request !== undefined && { request }) }
    await insertPushContent(db, content, JSON.stringify(said))
    for (let i = 0; i < clients.length; i += 1_000) {
      const devices = await findDevicesOfUsers(db, app, clients.slice(i, i + 1_000))
      const reachable = devices.filter(({ type }) => networks.has(networkOf[type]))
      await insertPushes(
        db,
        reachable.map((device) => pushTo(device, { app, content, giveUpAtMS })),
      )
      wakeNetworks()
    }
  }
}
