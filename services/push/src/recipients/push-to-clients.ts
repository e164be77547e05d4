import type { Wake } from '@parley/async/wake'
import { readAgain } from '@parley/bus/events/publish'
import { readPayload } from '@parley/bus/read-payload'
import type { MessageHandler } from '@parley/bus/stream/consume'
import { type PushToClientsOrder, pushToClientsOrder } from '@parley/contracts/bus/push-orders'
import { parsePushSubject } from '@parley/contracts/bus/subjects'
import type { Db } from '@parley/db/connect'
import { key } from '@parley/db/keys'
import { insertPushContent, insertPushes, type PushNetwork } from '@parley/db/push/pushes'
import { findDevicesOfUsers } from '@parley/db/users/devices'
import type { PushContent } from '../networks/network.ts'
import { networkOf, pushTo } from './push-message.ts'

export interface PushToClientsParts {
  db: Db
  networks: ReadonlySet<PushNetwork>
  keepMS: number
  wakeNetworks: Wake['up']
}

interface Order {
  app: string
  /** When it was given: one that is published again has waited since then. */
  givenAtMS: number
  order: PushToClientsOrder
}

/** Makes the handler of push2clients: to every registered device of the clients, connected or not. */
export function createClientsPusher(parts: PushToClientsParts): MessageHandler<Order> {
  const { db, networks, keepMS, wakeNetworks } = parts
  const handle = async ({ app, givenAtMS, order }: Order) => {
    const { id, clients, payload, request } = order
    const wantedUntilMS = payload.expiry ? payload.expiry * 1_000 : Number.POSITIVE_INFINITY
    const giveUpAtMS = Math.min(givenAtMS + keepMS, wantedUntilMS)
    // Published again, it may be older than pushes are remembered.
    if (givenAtMS + keepMS < Date.now()) return
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
  return {
    read: (message, raw) => ({
      app: parsePushSubject(message.subject),
      givenAtMS: readAgain(raw.headers)?.atMS ?? message.takenAtMS,
      order: readPayload(message, pushToClientsOrder),
    }),
    handle,
  }
}
